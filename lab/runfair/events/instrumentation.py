"""How a stock runtime is brought to tell of its collections and compilations: by environment
variables alone, so that it works for any command of the user's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.events.go import read_go
from runfair.events.javascriptcore import read_javascriptcore
from runfair.events.jvm import log_option, read_jvm
from runfair.events.python import read_python
from runfair.events.reading import Reading
from runfair.events.stamped_lines import StampedLine, StampedLines
from runfair.events.v8 import read_v8

PRELOADS = Path(__file__).with_name("preloads")
FOLDER_VARIABLE = "RUNFAIR_EVENTS_FOLDER"
STDERR_FIFO = "stderr.fifo"

# Quotes and blanks are written differently in each variable; a colon divides PYTHONPATH.
_UNUSABLE = frozenset("'\"\\\n,:%")


@dataclass(frozen=True)
class Instrumentation:
    """`environment`: variables to set, merged with the values they had. `stderr`, where there is
    one, is a FIFO that the program's standard error must be opened on and that StampedLines must
    read from before the program starts until it has ended."""

    environment: dict[str, str]
    stderr: Path | None = None


@dataclass(frozen=True)
class _Source:
    """A runtime's way of telling: how it is asked, and how what it said is read."""

    ask: Callable[[Path, Mapping[str, str]], dict[str, str]]
    read: Callable[[Path, Iterable[StampedLine]], Reading]
    stamps_stderr: bool = False


def _ask_jvm(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    # Not JAVA_TOOL_OPTIONS: every tool that embeds a JVM would read that.
    return _extended(environment, "JDK_JAVA_OPTIONS", " ", f"'{log_option(folder)}'")


def _ask_go(_: Path, environment: Mapping[str, str]) -> dict[str, str]:
    return _extended(environment, "GODEBUG", ",", "gctrace=1")


def _ask_node(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    options = (
        f'--require "{_usable(PRELOADS / "node.cjs")}"'
        f' --trace-event-file-pattern="{folder}/v8-${{pid}}-${{rotation}}.trace"'
    )
    return _to_folder(folder) | _extended(environment, "NODE_OPTIONS", " ", options)


def _ask_javascriptcore(_: Path, __: Mapping[str, str]) -> dict[str, str]:
    return {"BUN_JSC_logGC": "1", "BUN_JSC_reportCompileTimes": "1"}


def _ask_python(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    path = str(_usable(PRELOADS / "python"))
    before = environment.get("PYTHONPATH", "")
    return _to_folder(folder) | {"PYTHONPATH": f"{path}:{before}" if before else path}


_JVM = _Source(_ask_jvm, lambda folder, _: read_jvm(folder))
_GO = _Source(_ask_go, lambda _, lines: read_go(lines), stamps_stderr=True)
_V8 = _Source(_ask_node, lambda folder, _: read_v8(folder))
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
    "bun": _JAVASCRIPTCORE,
    # The preload sees which of the two it is in.
    "cpython": _PYTHON,
    "pypy": _PYTHON,
}


def instrumentation(
    family: str, folder: Path, environment: Mapping[str, str]
) -> Instrumentation | None:
    """What makes a runtime of this family (`runtimes.toml`) tell of its events; None where it has
    none or cannot tell. `folder` is made; it is the execution's own. `environment` is what the
    program would be started with.

    Raises UserMistake where the folder's path cannot be written in an environment variable.
    """
    source = _SOURCES.get(family)
    if source is None:
        return None
    folder = _usable(folder.absolute())
    folder.mkdir(parents=True, exist_ok=True)
    asked = source.ask(folder, environment)
    if not source.stamps_stderr:
        return Instrumentation(asked)
    fifo = folder / STDERR_FIFO
    fifo.unlink(missing_ok=True)
    os.mkfifo(fifo)
    return Instrumentation(asked, fifo)


def collect(family: str, folder: Path, stamped: StampedLines | None) -> Reading:
    """What the runtime told, once the program has ended and `stamped` is closed.

    ValueError where the family needs stamped lines and there are none, or has no events.
    """
    source = _SOURCES.get(family)
    if source is None:
        raise ValueError(f"{family} reports no events")
    if source.stamps_stderr and stamped is None:
        raise ValueError(f"the events of {family} need its standard error stamped")
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
            f"{path}: a folder's name with {' '.join(map(repr, strange))} cannot be passed"
            " to runtimes; choose another folder"
        )
    return path
