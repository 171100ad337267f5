"""Which runtime a user's command starts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

_NAMES = {
    "openjdk": re.compile(r"java"),
    "node": re.compile(r"node(?:js)?|node-\d+"),
    "bun": re.compile(r"bunx?"),
    "pypy": re.compile(r"pypy(?:\d(?:\.\d+)?)?"),
    "cpython": re.compile(r"python(?:\d(?:\.\d+)?)?"),
}

GO_BUILD_INFO = b"\xff Go buildinf:"
"""Package debug/buildinfo: every binary that Go 1.12 or newer linked has it."""

_READ_BYTES = 1 << 20
_SHEBANG_BYTES = 256
_MOST_INTERPRETERS = 4  # as many as Linux follows (fs/exec.c)
_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)


def family_of_command(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The family in `runtimes.toml` of what a command starts, or None where that cannot be told.

    Scripts are followed to their interpreters (`uvicorn` is Python, `npx` is Node) and `env` to
    what it starts. Any HotSpot is `openjdk`, as its events are the same.
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
    """By what the file is called, by itself or where its links lead: a virtual environment's
    `python` may be PyPy, and a link's own name is the better one where both speak."""
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
    """What a script's first line starts; nothing where it has none."""
    try:
        with path.open("rb") as file:
            first = file.read(_SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return []
    if not first.startswith(b"#!"):
        return []
    return first[2:].decode("utf-8", "replace").split()


def _without_env(words: list[str]) -> list[str]:
    """`env NAME=VALUE… COMMAND` starts COMMAND, whichever options `env` has."""
    if not words or Path(words[0]).name != "env":
        return words
    rest = words[1:]
    if rest and rest[0] == "-S":
        rest = shlex.split(" ".join(rest[1:]))
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.fullmatch(rest[0])):
        rest = rest[1:]
    return rest
