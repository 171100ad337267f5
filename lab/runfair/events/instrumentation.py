"""Makes a stock runtime report its collections and compilations, and recognises the runtime that a
command starts.

Only environment variables are set, so that any command of the user can be instrumented.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.events.go import read_go
from runfair.events.javascriptcore import read_javascriptcore
from runfair.events.jvm import log_option, read_jvm
from runfair.events.python import read_python
from runfair.events.reading import Reading
from runfair.events.stamped_stream import StampedLine, StampedStream
from runfair.events.v8 import read_v8

_NAMES = {
    "openjdk": re.compile(r"java"),
    "node": re.compile(r"node(?:js)?|node-\d+"),
    "sparrow": re.compile(r"sparrow"),
    "bun": re.compile(r"bunx?"),
    "pypy": re.compile(r"pypy(?:\d(?:\.\d+)?)?"),
    "cpython": re.compile(r"python(?:\d(?:\.\d+[td]*)?)?"),
}

GO_BUILD_INFO = b"\xff Go buildinf:"
"""A text that every binary contains if Go 1.12 or newer linked it (package debug/buildinfo)."""

_READ_BYTES = 1 << 20
_SHEBANG_BYTES = 256
_MOST_INTERPRETERS = 4  # the greatest number of interpreters that Linux follows (fs/exec.c)
_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)
_WITH_VALUE = frozenset(("-u", "--unset", "-C", "--chdir"))  # options of `env`


def family_of_command(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The family (in `runtimes.toml`) of the runtime that a command starts; None if it is unknown.

    A script is followed to its interpreter (`uvicorn` is Python, `npx` is Node), and `env` to the
    command that it starts. Every HotSpot JVM is reported as `openjdk`, because the events are the
    same.
    """
    words = list(command)
    for _ in range(_MOST_INTERPRETERS):
        words = _without_env(words)
        if not words:
            return None
        found = shutil.which(words[0], path=environment.get("PATH", os.defpath))
        if found is None:
            return None
        family = _family_of_executable(Path(found))
        if family is not None:
            return family
        words = _interpreter(Path(found))
    return None


def _family_of_executable(path: Path) -> str | None:
    """The family of an executable, found by its name or by the name of the file that its links lead
    to. If the link's own name and the file's name are both known, the link's name is preferred.
    (The `python` of a virtual environment may be PyPy.)
    """
    for name in (path.resolve().name, path.name):
        for family, pattern in _NAMES.items():
            if pattern.fullmatch(name):
                return family
    return "go" if _is_go(path) else None


def _is_go(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return False
            tail = b""
            while block := file.read(_READ_BYTES):
                if GO_BUILD_INFO in tail + block:
                    return True
                tail = block[-len(GO_BUILD_INFO) :]
    except OSError:
        return False
    return False


def _interpreter(path: Path) -> list[str]:
    """The command in a script's first line; empty if there is none."""
    try:
        with path.open("rb") as file:
            first = file.read(_SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return []
    if not first.startswith(b"#!"):
        return []
    return first[2:].decode("utf-8", "replace").split()


def _without_env(words: list[str]) -> list[str]:
    """The command that `env NAME=VALUE… COMMAND` starts. All options of `env` are skipped."""
    if not words or Path(words[0]).name != "env":
        return words
    rest = words[1:]
    if rest and rest[0] == "-S":
        rest = shlex.split(" ".join(rest[1:]))
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.fullmatch(rest[0])):
        rest = rest[2 if rest[0] in _WITH_VALUE else 1 :]
    return rest


PRELOADS = Path(__file__).with_name("preloads")
FOLDER_VARIABLE = "RUNFAIR_EVENTS_FOLDER"
STDERR_FIFO = "stderr.fifo"

# Each variable has its own rules for quotes and blanks, and a colon divides PYTHONPATH.
_UNUSABLE = frozenset("'\"\\\n,:%")

_PERMISSION_MODEL = frozenset(("--permission", "--experimental-permission"))
_ALL_FILES = frozenset(("--allow-fs-read=*", "--allow-fs-write=*"))


@dataclass(frozen=True)
class Instrumentation:
    """The environment and the standard error with which a program must be started so that it
    reports its events.

    `environment`: variables to set, combined with their earlier values. `stderr`, if given, is the
    path of a FIFO that the program must open as its standard error. A StampedStream makes this FIFO
    and reads it, from before the program's start until after its end.
    """

    environment: dict[str, str]
    stderr: Path | None = None


@dataclass(frozen=True)
class _Source:
    """The way in which a runtime reports events: how the reports are requested, and how they are
    read."""

    ask: Callable[[Path, Mapping[str, str]], dict[str, str]]
    read: Callable[[Path, Iterable[StampedLine]], Reading]
    stamps_stderr: bool = False


def _ask_jvm(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    # JAVA_TOOL_OPTIONS is not used: every tool that embeds a JVM would read it.
    return _extended(environment, "JDK_JAVA_OPTIONS", " ", f"'{log_option(folder)}'")


def _ask_go(_: Path, environment: Mapping[str, str]) -> dict[str, str]:
    return _extended(environment, "GODEBUG", ",", "gctrace=1")


def _ask_node(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    options = (
        f'--require "{_usable(PRELOADS / "node.cjs")}"'
        f' --trace-event-file-pattern="{folder}/v8-${{pid}}-${{rotation}}.trace"'
    )
    return _to_folder(folder) | _extended(environment, "NODE_OPTIONS", " ", options)


def _ask_sparrow(folder: Path, _: Mapping[str, str]) -> dict[str, str]:
    return {"SPARROW_EVENTS": str(folder)}


def _ask_javascriptcore(_: Path, __: Mapping[str, str]) -> dict[str, str]:
    return {"BUN_JSC_logGC": "1", "BUN_JSC_reportCompileTimes": "1"}


def _ask_python(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    path = str(_usable(PRELOADS / "python"))
    before = environment.get("PYTHONPATH", "")
    return _to_folder(folder) | {"PYTHONPATH": f"{path}:{before}" if before else path}


_JVM = _Source(_ask_jvm, lambda folder, _: read_jvm(folder))
_GO = _Source(_ask_go, lambda _, lines: read_go(lines), stamps_stderr=True)
_V8 = _Source(_ask_node, lambda folder, _: read_v8(folder))
_SPARROW = _Source(_ask_sparrow, lambda folder, _: read_v8(folder))
_JAVASCRIPTCORE = _Source(
    _ask_javascriptcore, lambda _, lines: read_javascriptcore(lines), stamps_stderr=True
)
_PYTHON = _Source(_ask_python, lambda folder, _: read_python(folder))

_SOURCES = {
    "openjdk": _JVM,
    "temurin": _JVM,
    "go": _GO,
    "gccgo": _GO,
    "node": _V8,
    "sparrow": _SPARROW,
    "bun": _JAVASCRIPTCORE,
    # The preload itself recognises in which of the two runtimes it runs.
    "cpython": _PYTHON,
    "pypy": _PYTHON,
}


def instrumentation(
    family: str, folder: Path, environment: Mapping[str, str], command: Sequence[str] = ()
) -> Instrumentation | None:
    """The instrumentation that makes a runtime of this family (`runtimes.toml`) report its events;
    None if the runtime cannot report any.

    `folder` belongs to the execution and is created. `environment` is the environment that the
    program would have without instrumentation, and `command` starts it. Raises UserMistake if the
    folder's path cannot be written in an environment variable.
    """
    source = _SOURCES.get(family)
    if source is None or (source is _V8 and _shut_out(command, environment)):
        return None
    folder = _usable(folder.absolute())
    folder.mkdir(parents=True, exist_ok=True)
    asked = source.ask(folder, environment)
    if not source.stamps_stderr:
        return Instrumentation(asked)
    return Instrumentation(asked, folder / STDERR_FIFO)


def _shut_out(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether Node's permission model may keep the program from the preload or from the folder.
    Node 20 then does not start. runfair grants no permission, because Node refuses to start with a
    permission but without the permission model, as a child process may.
    """
    words = {*command, *environment.get("NODE_OPTIONS", "").split()}
    return not words.isdisjoint(_PERMISSION_MODEL) and not words >= _ALL_FILES


def collect(family: str, folder: Path, stamped: StampedStream | None) -> Reading:
    """The events of a program. The program must have ended, and its `stamped` stream must be
    closed. Raises ValueError if the family reports no events, or if it needs stamped lines and
    there are none.
    """
    source = _SOURCES.get(family)
    if source is None:
        raise ValueError(f"{family} does not report runtime events")
    if source.stamps_stderr and stamped is None:
        raise ValueError(f"the events of {family} need time stamps on the lines of standard error")
    return source.read(folder.absolute(), () if stamped is None else stamped.lines())


def _to_folder(folder: Path) -> dict[str, str]:
    return {FOLDER_VARIABLE: str(folder)}


def _extended(
    environment: Mapping[str, str], name: str, separator: str, value: str
) -> dict[str, str]:
    before = environment.get(name, "").strip()
    return {name: f"{before}{separator}{value}" if before else value}


def _usable(path: Path) -> Path:
    strange = sorted(_UNUSABLE & set(str(path)))
    if strange:
        raise UserMistake(
            f"{path}: this path contains {' '.join(map(repr, strange))}, so it cannot be passed "
            "to the runtimes in an option; choose another folder"
        )
    return path
