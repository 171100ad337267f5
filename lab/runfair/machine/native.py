"""The lab's native programs. The programs are compiled on this machine when they are first needed.

An executable is `private_folder()/native/SOURCES-COMPILER/NAME`. The name of the folder has a
digest of the sources and the flags, and a digest of the compiler and its version. A program is
therefore rebuilt only if one of these changes, and an outdated build is never used. Several hosts
may share the private folder, and not each of them has a compiler. A host without a compiler uses
the build of another host. The hosts of a run over several hosts always use the build of the lab, so
that all of them run the same programs.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runfair.errors import UserMistake
from runfair.paths import REPOSITORY, private_folder

LAUNCHER = "runfair-launch"
REFERENCE = "runfair-reference"
PROBE = "runfair-probe.so"
LATE_PROBE = "runfair-late-probe.so"

# The folders of the probe: its core, and an adapter for each runtime.
PROBE_PARTS = ("core", "cpython", "hotspot", "v8")
# The probe for a process that runs already.
LATE_PROBE_PARTS = ("core", "hotspot", "late")

SOURCES = {
    LAUNCHER: (REPOSITORY / "lab" / "launcher",),
    REFERENCE: (REPOSITORY / "lab" / "reference",),
    PROBE: tuple(REPOSITORY / "probes" / part for part in PROBE_PARTS),
    LATE_PROBE: tuple(REPOSITORY / "probes" / part for part in LATE_PROBE_PARTS),
}

COMPILERS = ("g++", "clang++", "c++")
# On the hosts of a run, this variable names the compiler of the lab's builds, as folders do.
BUILT = "RUNFAIR_NATIVE_BUILT"

# The flags do not include -Werror, because a newer compiler's new warnings must not prevent a user
# from measuring. The project's own checks compile with warnings as errors.
FLAGS = ("-std=c++20", "-O2", "-Wall", "-Wextra")
# A library is loaded into other programs, so it contains its own C++ runtime and exports no
# symbols.
LIBRARY_FLAGS = (
    *("-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"),
)
LATE_FLAGS = ("-DPROBES_LATE",)

INSTALL_LINE = "sudo apt-get install g++"


def build_native(name: str) -> Path:
    """The executable or library `name` (LAUNCHER, REFERENCE, PROBE). The program is compiled if it
    does not exist yet.

    Raises UserMistake if no C++ compiler on this machine can build it, and KeyError if the name is
    unknown.
    """
    return build(name, *SOURCES[name])


def lab_builds() -> str:
    """The variable BUILT with its value, for the hosts of a run of this lab."""
    return f"{BUILT}={build_native(LAUNCHER).parent.name.rpartition('-')[2]}"


def build(name: str, *folders: Path) -> Path:
    """The executable `name`, or the library if the name ends in `.so`. The program is compiled from
    all C++ sources that lie directly in `folders`."""
    sources = [source for folder in folders for source in sorted(folder.glob("*.cpp"))]
    if not sources:
        raise UserMistake(
            f"{folders[0]} does not contain the sources of {name}, so this copy of runfair is "
            "incomplete; clone or unpack runfair again"
        )
    headers = [header for folder in folders for header in sorted(folder.glob("*.hpp"))]
    content, kept = _digest([*sources, *headers]), private_folder() / "native"
    of_lab = kept / f"{content}-{os.environ.get(BUILT)}" / name
    if of_lab.exists():
        return of_lab
    try:
        compiler = find_compiler()
    except UserMistake:
        # If there is another compiler, the host has compilers, and CXX is misspelt.
        built = sorted(kept.glob(f"{content}-*/{name}"))
        if built and not any(map(shutil.which, COMPILERS)):
            return built[0]
        raise
    target = kept / f"{content}-{_identity(compiler)}" / name
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # The program is compiled under a temporary name and then renamed. If two processes build at the
    # same time, both succeed. An interrupted build is never mistaken for a finished build.
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / name
        _compile(name, compiler, sources, made)
        made.replace(target)
    return target


def find_compiler() -> tuple[str, ...]:
    """The C++ compiler's command: $CXX if set, otherwise the first installed compiler."""
    chosen = tuple(shlex.split(os.environ.get("CXX", "")))
    if chosen:
        if shutil.which(chosen[0]) is None:
            raise UserMistake(
                f"the environment variable CXX names {chosen[0]}, which does not exist; correct "
                "or unset CXX"
            )
        return chosen
    for candidate in COMPILERS:
        if shutil.which(candidate) is not None:
            return (candidate,)
    raise UserMistake(
        f"no C++ compiler was found; install one with: {INSTALL_LINE} (runfair looked for "
        f"{', '.join(COMPILERS)})"
    )


def _compile(name: str, compiler: tuple[str, ...], sources: Sequence[Path], target: Path) -> None:
    library = target.suffix == ".so"
    flags = [*FLAGS, *(LIBRARY_FLAGS if library else ())]
    flags += LATE_FLAGS if name == LATE_PROBE else ()
    objects = [target.with_name(f"{source.parent.name}-{source.stem}.o") for source in sources]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(
            pool.map(
                lambda pair: _call([*compiler, *flags, "-c", str(pair[0]), "-o", str(pair[1])]),
                zip(sources, objects, strict=True),
            )
        )
    if all(one.returncode == 0 for one in done):
        link = [*compiler, *map(str, objects), "-o", str(target)]
        # The program is linked statically if the C library allows it. It then starts faster and
        # with fewer pages, and LD_LIBRARY_PATH has no effect on it.
        if library:
            link += ["-shared", "-static-libstdc++", "-static-libgcc"]
        elif _call([*link, "-static"]).returncode == 0:
            return
        done = [_call(link)]
        if done[0].returncode == 0:
            return
    failed = next(one for one in done if one.returncode != 0)
    lines = failed.stderr.splitlines() or [f"status {failed.returncode}"]
    reason = next((line for line in lines if "error" in line), lines[0])
    raise UserMistake(
        f"{shlex.join(compiler)} could not build {name} ({reason}); set the environment variable "
        "CXX to a compiler that knows C++20"
    )


def _call(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def _identity(compiler: tuple[str, ...]) -> str:
    version = subprocess.run([*compiler, "--version"], capture_output=True, check=False).stdout
    digest = hashlib.sha256(version)
    for part in (*compiler, str(shutil.which(compiler[0]))):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for part in (*FLAGS, *LIBRARY_FLAGS):
        digest.update(part.encode() + b"\0")
    for file in files:
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
