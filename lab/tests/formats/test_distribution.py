"""A recorder's cells and its file, and what a program that was killed leaves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.records import cell_of, counted
from runfair.formats.distribution import (
    CELLS,
    FILE_BYTES,
    VALUE_BITS,
    BrokenSamples,
    histogram,
    least_values,
    read_recorder,
    unfinished,
)

VALUES = st.lists(st.integers(0, 2**VALUE_BITS - 1), max_size=50)


def test_the_contract_states_the_numbers() -> None:
    assert CELLS == 38_912 == cell_of(2**VALUE_BITS - 1) + 1
    assert FILE_BYTES == 311_304


@given(VALUES)
def test_values_lie_in_their_cells_to_three_digits(values: list[int]) -> None:
    found = histogram([counted(values)])
    assert found.total == len(values)
    for value in values:
        (cell,) = np.flatnonzero((found.least <= value) & (value <= found.greatest))
        assert found.greatest[cell] - found.least[cell] < max(1, value / 1000)


@given(st.integers(0, 2**VALUE_BITS - 1))
def test_cells_are_those_of_hdrhistogram(value: int) -> None:
    official = pytest.importorskip("hdrh.histogram").HdrHistogram(1, 2**VALUE_BITS - 1, 3)
    official.record_value(value)
    found = histogram([counted([value])])
    assert int(found.greatest[0]) == official.get_value_at_percentile(100)


def test_iterations_are_added_up() -> None:
    assert histogram([[3, 1, 5, 2], [], [5, 4]]).counts.tolist() == [1, 6]
    assert histogram([]).total == 0


def test_a_value_of_each_iteration() -> None:
    values = [7, 5_000, 123_456, 5_000]
    least = least_values([counted([value]) for value in values])
    assert least is not None
    assert all(low <= value < low * 1.001 + 1 for low, value in zip(least, values, strict=True))


@pytest.mark.parametrize("values", [[], [3, 900]])
def test_an_iteration_with_another_number_of_values_gives_none(values: list[int]) -> None:
    assert least_values([counted([5]), counted(values)]) is None


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ([3], "the list ends with a histogram cell that has no count"),
        ([3, 1, 3, 1], "numbers of the histogram cells must increase"),
        ([5, 1, 3, 1], "numbers of the histogram cells must increase"),
        ([CELLS, 1], "numbers of the histogram cells must increase and lie between 0 and 38911"),
        ([3, 0], "the list contains a histogram cell whose count is 0"),
    ],
)
def test_cells_that_are_none_are_refused(counts: list[int], problem: str) -> None:
    with pytest.raises(BrokenSamples, match=problem):
        histogram([counts])


def recorder(path: Path, index: int, cells: dict[int, int]) -> Path:
    numbers = np.zeros(1 + CELLS, dtype="<u8")
    numbers[0] = index
    for cell, count in cells.items():
        numbers[1 + cell] = count
    path.write_bytes(numbers.tobytes())
    return path


def test_a_recorders_file_is_read(tmp_path: Path) -> None:
    path = recorder(tmp_path / "lateness.counts", 7, {0: 1, CELLS - 1: 5})
    assert read_recorder(path) == (7, [0, 1, CELLS - 1, 5])


@pytest.mark.parametrize("size", [0, 8, FILE_BYTES - 1, FILE_BYTES + 8])
def test_a_file_cut_short_is_told_in_a_line(tmp_path: Path, size: int) -> None:
    (tmp_path / "lateness.counts").write_bytes(bytes(size))
    found, problem = unfinished(["lateness"], tmp_path, 0)
    assert found == {}
    assert problem == (
        f"the samples in lateness.counts are lost, because the file has {size} bytes instead of "
        f"{FILE_BYTES}, "
        "although the program should write the whole file before its first iteration "
        '(benchmarks/contract.md, "Distributions")'
    )


@given(st.dictionaries(st.integers(0, CELLS), st.integers(0, 2**64 - 1), max_size=20))
def test_whatever_is_in_a_whole_file_is_read_or_refused(numbers: dict[int, int]) -> None:
    words = np.zeros(1 + CELLS, dtype="<u8")
    for place, number in numbers.items():
        words[place] = number
    content = words.tobytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda _path: content)
        try:
            _, cells = read_recorder(Path("lateness.counts"))
        except BrokenSamples:
            return
    histogram([cells])


def test_only_the_iteration_under_way_is_left(tmp_path: Path) -> None:
    """One whose line was written stands in it: its counts must not count twice."""
    recorder(tmp_path / "lateness.counts", 2, {4: 3})
    assert unfinished(["lateness", "hops"], tmp_path, 2) == ({"lateness": [4, 3]}, "")
    assert unfinished(["lateness"], tmp_path, 3) == ({}, "")
