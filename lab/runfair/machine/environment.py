"""The environment of measured programs. The environment has only the variables of an allow-list,
which is the same for every caller.

Environment variables that the user has forgotten may change a runtime's behaviour. Even the size of
the environment moves the stack and changes timings (Mytkowicz et al., "Producing wrong data without
doing anything obviously wrong", ASPLOS 2009). Programs therefore inherit only the variables that
they need to find files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase

from runfair.paths import REPOSITORY

INHERITED = ("PATH", "HOME", "TMPDIR")
FIXED = {"LANG": "C.UTF-8", "TZ": "UTC"}
GIVEN_PYTHONPATH = "RUNFAIR_GIVEN_PYTHONPATH"  # the user's own PYTHONPATH, set by ./runfair
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

# Variables that change how a runtime, its allocator or the loader behaves.
STEERING = (
    "BUN_*",
    "CLASSPATH",
    "GLIBC_TUNABLES",
    "GODEBUG",
    "GOEXPERIMENT",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOTRACEBACK",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LC_*",
    "LD_*",
    "MALLOC_*",
    "MIMALLOC_*",
    "NODE_*",
    "OMP_*",
    "PYPY*",
    "PYTHON*",
    "RUST_*",
    "TCMALLOC_*",
    "UV_*",
    "_JAVA_OPTIONS",
    "_RJEM_*",
)


def clean_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a program, selected from `inherited`. If `inherited` is None, the
    environment of this process is used."""
    given = os.environ if inherited is None else inherited
    kept = {name: given[name] for name in INHERITED if name in given}
    return {"PATH": DEFAULT_PATH, **kept, **FIXED}


def dropped_variables(inherited: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The sorted names of the user's variables that would change a runtime's behaviour, and are
    therefore withheld."""
    given = own_environment(inherited)
    return tuple(
        sorted(name for name in given if any(fnmatchcase(name, each) for each in STEERING))
    )


def own_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment in which the user started `./runfair`, which replaces PYTHONPATH by the path
    of the lab."""
    given = dict(os.environ if inherited is None else inherited)
    own = given.pop(GIVEN_PYTHONPATH, "")
    if given.get("PYTHONPATH") == str(REPOSITORY / "lab"):
        del given["PYTHONPATH"]
        if own:
            given["PYTHONPATH"] = own
    return given
