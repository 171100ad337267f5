"""Distributions: named sets of samples that a benchmark declares, whose percentiles are figures.

The recorder's cells and its file are those of benchmarks/contract.md, "Distributions".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from runfair.formats.histogram import Histogram, ranges
from runfair.formats.record import Record

Unit = Literal["ns", "bytes", "count"]
Better = Literal["lower", "higher"]
Share = Literal["p50", "p90", "p99", "p99_9", "p99_99", "max"]

SHARES: dict[Share, float] = {
    "p50": 0.5,
    "p90": 0.9,
    "p99": 0.99,
    "p99_9": 0.999,
    "p99_99": 0.9999,
    "max": 1.0,
}
VALUE_BITS = 47
SIGNIFICANT_DIGITS = 3
CELL_BITS = 10  # a power of two of values has so many cells, as a log2
CELLS = (VALUE_BITS - CELL_BITS + 1) << CELL_BITS
FILE_BYTES = 8 * (1 + CELLS)

# The cells of one iteration's samples that hold any: cell, count, cell, count, …
Counted = list[Annotated[int, Field(ge=0, lt=2**63)]]


class Distribution(Record):
    """What `benchmark.toml` declares of one. `percentiles` are those that are figures."""

    about: str
    unit: Unit
    better: Better = "lower"
    percentiles: Annotated[list[Share], Field(min_length=1)]


class BrokenSamples(ValueError):
    """Cells or a recorder's file that are none; the message says why, in a part of a line."""


def histogram(iterations: Iterable[Sequence[int]]) -> Histogram:
    """The samples of these iterations together. Raises BrokenSamples."""
    counts = np.zeros(CELLS, dtype=np.int64)
    for counted in iterations:
        numbers = np.asarray(counted, dtype=np.int64)
        if len(numbers) % 2:
            raise BrokenSamples("a cell without its count")
        cells, found = numbers[::2], numbers[1::2]
        if len(cells) and (cells[0] < 0 or cells[-1] >= CELLS or (np.diff(cells) <= 0).any()):
            raise BrokenSamples(f"cells must rise from 0 to at most {CELLS - 1}")
        if (found <= 0).any():
            raise BrokenSamples("a cell that holds nothing")
        counts[cells] += found
    used = np.flatnonzero(counts)
    least, width = ranges(used, SIGNIFICANT_DIGITS, 1)
    return Histogram(least, least + width - 1, counts[used])


def samples_option(distributions: Collection[str], folder: Path) -> list[str]:
    """The option `samples` of a program whose benchmark declares any; the folder is made."""
    if not distributions:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    return [f"samples={folder}"]


def unfinished(
    distributions: Collection[str], folder: Path, iterations: int
) -> tuple[dict[str, list[int]], str]:
    """What a killed program had recorded in the iteration that was under way, behind the
    `iterations` that it told; and what is wrong with a file, in a line, or an empty text."""
    found: dict[str, list[int]] = {}
    for name in distributions:
        path = recorder_file(folder, name)
        if not path.exists():
            continue
        try:
            index, counted = read_recorder(path)
        except BrokenSamples as error:
            return found, f"{path.name} {error}: its samples are lost"
        if index == iterations and counted:
            found[name] = counted
    return found, ""


def recorder_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.counts"


def read_recorder(path: Path) -> tuple[int, list[int]]:
    """The iteration under way and its cells, as a program that was killed left them. Raises
    BrokenSamples for a file that is not whole."""
    content = path.read_bytes()
    if len(content) != FILE_BYTES:
        raise BrokenSamples(f"has {len(content)} bytes, a recorder's file {FILE_BYTES}")
    numbers = np.frombuffer(content, dtype="<u8")
    counts = numbers[1:]
    used = np.flatnonzero(counts)
    if (numbers >= 2**63).any():
        raise BrokenSamples("holds a count beyond 63 bits")
    return int(numbers[0]), [
        number for cell in used.tolist() for number in (cell, int(counts[cell]))
    ]


def figure_names(distributions: Mapping[str, Distribution]) -> list[str]:
    """`lateness.p99` and so on, in the order in which they are declared."""
    return [f"{name}.{share}" for name, one in distributions.items() for share in one.percentiles]
