"""Readers for the kernel's small text files, and its notation for sets of processors.

Every reader takes the root folder as an argument, so the same code can read recorded trees of other
machines.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

ROOT = Path("/")


def read_text(root: Path, name: str) -> str | None:
    """The stripped contents of `name` below `root`; None if the kernel does not report it.

    For some existing files, sysfs returns an error when they are read (a missing feature, an
    offline processor). The result is then None too.
    """
    try:
        return (root / name.lstrip("/")).read_text(errors="replace").strip()
    except OSError:
        return None


def read_number(root: Path, name: str) -> int | None:
    """The integer in the file `name`; None if the file contains no integer."""
    text = read_text(root, name)
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return None


def read_processors(root: Path, name: str) -> frozenset[int] | None:
    """The set of processors in the file `name`; None if there is no such file."""
    text = read_text(root, name)
    return None if text is None else parse_processors(text)


def parse_processors(text: str) -> frozenset[int]:
    """The set of processors in a text of the cpulist format: {0, 1, 2, 5} from `0-2,5`. Raises
    ValueError if the text has another format."""
    numbers: set[int] = set()
    for part in text.split(","):
        if part.strip():
            first, _, last = part.partition("-")
            numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def format_processors(numbers: Iterable[int]) -> str:
    """A set of processors as the shortest list of ranges: `0-2,5` from {0, 1, 2, 5}."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def boot_id(root: Path = ROOT) -> str:
    """The identity of this boot; `unknown` if the kernel does not report it."""
    return read_text(root, "proc/sys/kernel/random/boot_id") or "unknown"
