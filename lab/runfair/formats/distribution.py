"""Distributions: named sets of samples that a benchmark declares. The percentiles of distributions
are figures.

benchmarks/contract.md, "Distributions", describes the recorder's cells and its file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from runfair.formats.histogram import Histogram, ranges
from runfair.formats.record import Record

IntArray = npt.NDArray[np.int64]
Unit = Literal["ns", "bytes", "count"]
FigureUnit = Literal["ns", "bytes", "count", "share"]
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
CELL_BITS = 10  # log2 of the number of cells in each power of two
CELLS = (VALUE_BITS - CELL_BITS + 1) << CELL_BITS
FILE_BYTES = 8 * (1 + CELLS)

# The non-empty cells of an iteration's samples, flat: cell, count, cell, count, …
Counted = list[Annotated[int, Field(ge=0, lt=2**63)]]


class Distribution(Record):
    """A distribution as `benchmark.toml` declares it. Its `percentiles` are the figures. A `single`
    distribution has exactly one sample for each iteration. In an execution of one iteration, each
    of its percentiles is then this sample. `per_thousand` names a counter: each sample is then the
    wall time of a part of the iteration, divided by the counted operations, times 1,000."""

    about: str
    unit: Unit
    better: Better = "lower"
    percentiles: Annotated[list[Share], Field(min_length=1)]
    single: bool = False
    per_thousand: str = ""

    @model_validator(mode="after")
    def _needs(self) -> Self:
        if self.per_thousand and not (self.single and self.unit == "ns"):
            raise ValueError(
                '`per_thousand` needs `single = true` and `unit = "ns"`, because it '
                "applies only to the times of whole iterations"
            )
        return self


class BrokenSamples(ValueError):
    """The cells, or the file of a recorder, are malformed. The message says why and fits into a
    line."""


def histogram(iterations: Iterable[Sequence[int]]) -> Histogram:
    """The samples of these iterations together. Raises BrokenSamples."""
    counts = np.zeros(CELLS, dtype=np.int64)
    for counted in iterations:
        cells, found = _cells_and_counts(counted)
        counts[cells] += found
    used = np.flatnonzero(counts)
    least, width = ranges(used, SIGNIFICANT_DIGITS, 1)
    return Histogram(least, least + width - 1, counts[used])


def least_values(iterations: Iterable[Sequence[int]]) -> IntArray | None:
    """The lower end of the cell of each iteration's only sample. None if an iteration has another
    number of samples. Raises BrokenSamples."""
    cells = []
    for counted in iterations:
        own, found = _cells_and_counts(counted)
        if found.sum() != 1:
            return None
        cells.append(own[0])
    return ranges(np.array(cells, dtype=np.int64), SIGNIFICANT_DIGITS, 1)[0]


def total(counted: Sequence[int]) -> int:
    """The number of an iteration's samples. Raises BrokenSamples."""
    return int(_cells_and_counts(counted)[1].sum())


def _cells_and_counts(counted: Sequence[int]) -> tuple[IntArray, IntArray]:
    numbers = np.asarray(counted, dtype=np.int64)
    if len(numbers) % 2:
        raise BrokenSamples("the list ends with a histogram cell that has no count")
    cells, found = numbers[::2], numbers[1::2]
    if len(cells) and (cells[0] < 0 or cells[-1] >= CELLS or (np.diff(cells) <= 0).any()):
        raise BrokenSamples(
            "the index numbers of the histogram cells must increase and lie between 0 and "
            f"{CELLS - 1}"
        )
    if (found <= 0).any():
        raise BrokenSamples("the list contains a histogram cell whose count is 0")
    return cells, found


def samples_option(distributions: Collection[str], folder: Path) -> list[str]:
    """The option `samples` for a program whose benchmark declares distributions. The function also
    creates the folder."""
    if not distributions:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    return [f"samples={folder}"]


def unfinished(
    distributions: Collection[str], folder: Path, iterations: int
) -> tuple[dict[str, list[int]], str]:
    """The samples of the iteration in which a program was killed, that is, after the `iterations`
    that it reported. The second result describes a problem with a file in one line; it is empty if
    there is none."""
    found: dict[str, list[int]] = {}
    for name in distributions:
        path = recorder_file(folder, name)
        if not path.exists():
            continue
        try:
            index, counted = read_recorder(path)
        except BrokenSamples as error:
            return found, f"the samples in {path.name} are lost, because the file {error}"
        if index == iterations and counted:
            found[name] = counted
    return found, ""


def recorder_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.counts"


def read_recorder(path: Path) -> tuple[int, list[int]]:
    """The unfinished iteration and its cells, from the file of a killed program. Raises
    BrokenSamples for an incomplete file."""
    content = path.read_bytes()
    if len(content) != FILE_BYTES:
        raise BrokenSamples(
            f"has {len(content)} bytes instead of {FILE_BYTES}, although the program should write "
            'the whole file before its first iteration (benchmarks/contract.md, "Distributions")'
        )
    numbers = np.frombuffer(content, dtype="<u8")
    counts = numbers[1:]
    used = np.flatnonzero(counts)
    if (numbers >= 2**63).any():
        raise BrokenSamples("contains a count that needs more than 63 bits")
    return int(numbers[0]), [
        number for cell in used.tolist() for number in (cell, int(counts[cell]))
    ]


def figure_names(distributions: Mapping[str, Distribution]) -> list[str]:
    """The names of the figures, such as `lateness.p99`, in the order of their declaration."""
    return [f"{name}.{share}" for name, one in distributions.items() for share in one.percentiles]
