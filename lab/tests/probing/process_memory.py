"""The memory of a process, read from outside: what a probe changed in it, and what it restored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORD_BYTES = 8


@dataclass(frozen=True)
class Area:
    """A line of /proc/PID/maps."""

    begin: int
    end: int
    flags: str
    path: str

    @property
    def executable(self) -> bool:
        return "x" in self.flags

    def overlaps(self, other: Area) -> bool:
        return self.begin < other.end and other.begin < self.end


class ProcessMemory:
    """The memory as it was when this object was made."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.areas = [_area(line) for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]
        self._pointers = [self._pointers_to_code(area) for area in self.areas if _has_data(area)]
        self.constants = self.digests(
            [area for area in self.areas if _is_file(area) and area.flags in ("r--p", "r-xp")]
        )

    def digests(self, areas: list[Area]) -> dict[Area, str]:
        return {area: hashlib.sha256(self._read(area)).hexdigest() for area in areas}

    def pointers(self) -> dict[int, int]:
        """The words that point to executable memory, by their addresses."""
        return {
            at: value
            for addresses, values in self._pointers
            for at, value in zip(addresses.tolist(), values.tolist(), strict=True)
        }

    def flags_in(self, area: Area) -> set[str]:
        return {own.flags for own in self.areas if own.overlaps(area)}

    def _pointers_to_code(self, area: Area) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        words = np.frombuffer(self._read(area), np.uint64)
        code = [own for own in self.areas if own.executable]
        begins = np.array([own.begin for own in code], np.uint64)
        ends = np.array([own.end for own in code], np.uint64)
        at = np.searchsorted(begins, words, side="right") - 1
        found = np.flatnonzero((at >= 0) & (words < ends[at]))
        return found.astype(np.uint64) * np.uint64(WORD_BYTES) + np.uint64(area.begin), words[found]

    def _read(self, area: Area) -> bytes:
        with Path(f"/proc/{self._pid}/mem").open("rb", buffering=0) as memory:
            memory.seek(area.begin)
            found = b""
            while area.begin + len(found) < area.end:
                try:
                    found += memory.read(area.end - area.begin - len(found))
                except OSError:  # behind the end of its file
                    break
            return found


def _area(line: str) -> Area:
    addresses, flags, _, _, _, *path = line.split()
    begin, end = (int(address, 16) for address in addresses.split("-"))
    return Area(begin, end, flags, " ".join(path))


def _is_file(area: Area) -> bool:
    return area.path.startswith("/")


def _has_data(area: Area) -> bool:
    # vvar and vsyscall belong to the kernel. The stack has copies of a table's entries, by chance.
    special = area.path.startswith(("[v", "[stack]"))
    return area.flags in ("r--p", "rw-p") and not special


def replaced_pointers(before: ProcessMemory, during: ProcessMemory) -> dict[int, int]:
    """The pointers to code, with their old values, that point to new anonymous code instead."""
    made = [
        area
        for area in during.areas
        if (area.flags, area.path) == ("r-xp", "")
        and not any(area.overlaps(own) and own.executable for own in before.areas)
    ]
    now = during.pointers()
    return {
        at: value
        for at, value in before.pointers().items()
        if any(area.begin <= now.get(at, 0) < area.end for area in made)
    }


def assert_restored(before: ProcessMemory, after: ProcessMemory, table: dict[int, int]) -> None:
    """The table's entries, all constants of files, and the protection of their memory."""
    now = after.pointers()
    assert {at: now.get(at) for at in table} == table
    assert after.digests(list(before.constants)) == before.constants
    for area in before.areas:
        if _is_file(area) or any(area.begin <= at < area.end for at in table):
            assert after.flags_in(area) == {area.flags}, area
