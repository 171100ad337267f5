"""The settings in force in this interpreter: `effective` and `processors` of
benchmarks/contract.md."""

from __future__ import annotations

import sys
import sysconfig


def in_cpython() -> dict[str, object]:
    names = ("CONFIG_ARGS", "PY_CFLAGS", "PGO_PROF_USE_FLAG")
    told, compiled, known = (str(sysconfig.get_config_var(name) or "") for name in names)
    jit = getattr(sys, "_jit", None)  # since 3.14; before, only the build is known
    facts = {
        "optimisation": ["unknown", *(w for w in compiled.split() if w.startswith("-O"))][-1],
        "assertions": hasattr(sys, "gettotalrefcount") or "-DNDEBUG" not in compiled,
        "build_flags": told,
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "jit": jit.is_enabled() if jit else "--enable-experimental-jit" in told,
    }
    # The makefile of every build names the flag of PGO. Debian removes the flag from the installed
    # copy, so that it is unknown. Nothing is then reported, because a guess could be false.
    for fact, option in (("pgo", "--enable-optimizations"), ("lto", "--with-lto")):
        if known or option in told:
            facts[fact] = option in told and f"{option}=no" not in told
    return facts


def in_pypy() -> dict[str, object]:
    built = getattr(sys, "pypy_translation_info", {})
    names = {"pgo": "profopt", "lto": "lto", "assertions": "lldebug", "jit": "jit"}
    facts = {fact: bool(built.get(f"translation.{name}")) for fact, name in names.items()}
    with open("/proc/self/cmdline", errors="replace") as command:
        facts["jit"] = facts["jit"] and "\0--jit\0off\0" not in command.read()
    return {**facts, "collector": str(built.get("translation.gc", "")), "gil": True}


effective = in_pypy if sys.implementation.name == "pypy" else in_cpython


def processors() -> int:
    """The number of processors that the affinity allows. os.cpu_count ignores the affinity, and
    PyPy has no os.sched_getaffinity."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        [mask] = [line.split()[1] for line in status if line.startswith("Cpus_allowed:")]
    return bin(int(mask.replace(",", ""), 16)).count("1")
