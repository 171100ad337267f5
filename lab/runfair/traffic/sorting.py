"""Sorts any number of lines by time; lines that do not fit into memory are kept in files."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

IN_MEMORY_BYTES = 1 << 26
FILES = 64  # files merged at the same time, as the number of open files is limited


class Entry(NamedTuple):
    """A line to be sorted. `sequence` keeps entries with the same instant in the order in which
    they were added.
    """

    at_ns: int
    sequence: int
    text: str


class SortedEntries:
    """Takes entries in any order, and returns them in the order of their times.

    with SortedEntries(folder) as entries:
        entries.add(at_ns, text)
        for entry in entries: ...
    """

    def __init__(self, folder: Path, in_memory_bytes: int = IN_MEMORY_BYTES) -> None:
        self._limit = in_memory_bytes
        self._folder = tempfile.TemporaryDirectory(prefix=".sorting-", dir=folder)
        self._entries: list[Entry] = []
        self._bytes = 0
        self._count = 0
        self._made = 0
        self._files: list[Path] = []

    def __enter__(self) -> SortedEntries:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def __len__(self) -> int:
        return self._count

    def add(self, at_ns: int, text: str) -> None:
        """Adds an entry. `text` is one line of ASCII."""
        self._entries.append(Entry(at_ns, self._count, text))
        self._count += 1
        self._bytes += len(text) + 100  # plus the size of the entry's object
        if self._bytes > self._limit:
            self._spill()

    def __iter__(self) -> Iterator[Entry]:
        self._entries.sort()
        yield from heapq.merge(*map(_read, self._files), self._entries)

    def _spill(self) -> None:
        self._entries.sort()
        self._files.append(self._write(iter(self._entries)))
        self._entries, self._bytes = [], 0
        if len(self._files) == FILES:
            merged = self._write(heapq.merge(*map(_read, self._files)))
            for path in self._files:
                path.unlink()
            self._files = [merged]

    def _write(self, entries: Iterator[Entry]) -> Path:
        path = Path(self._folder.name) / str(self._made)
        self._made += 1
        with path.open("w", encoding="ascii") as file:
            file.writelines(f"{entry.at_ns} {entry.sequence} {entry.text}\n" for entry in entries)
        return path


def _read(path: Path) -> Iterator[Entry]:
    with path.open(encoding="ascii") as file:
        for line in file:
            at_ns, sequence, text = line.rstrip("\n").split(" ", 2)
            yield Entry(int(at_ns), int(sequence), text)
