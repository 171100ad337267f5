"""Axes have few, round ticks inside their range."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.report.page.drawing import PADDED, log_scale, log_ticks, reduced, rounded, size_ticks

POSITIVE = st.floats(min_value=1e-3, max_value=1e15)


@given(POSITIVE, st.floats(min_value=1.0, max_value=1e6))
def test_ticks_lie_in_the_range_and_are_few(low: float, ratio: float) -> None:
    values = [low, low * ratio]
    for ticks in (log_ticks(values), size_ticks(values)):
        assert 1 <= len(ticks) <= 20
        assert ticks == sorted(set(ticks))
        assert all(low / PADDED * 0.99 <= tick <= low * ratio * PADDED * 1.01 for tick in ticks)


def test_ticks_are_round() -> None:
    assert log_ticks([0.5, 37]) == [0.5, 1, 2, 3, 5, 10, 20, 30]
    assert log_ticks([1e3, 9e8]) == [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]
    assert log_ticks([1.0, 1.02]) == [0.95, 1.0, 1.05, 1.1]
    assert size_ticks([1 << 20, 64 << 20]) == [float(n << 20) for n in (1, 2, 4, 8, 16, 32, 64)]
    assert size_ticks([38 << 20, 52 << 20]) == [float(n << 20) for n in (40, 45, 50, 55)]


def test_the_scale_holds_its_values() -> None:
    assert log_scale([2.0, 8.0])["domain"] == [2.0 / PADDED, 8.0 * PADDED]


@given(POSITIVE)
def test_four_digits_are_left(value: float) -> None:
    assert abs(rounded(value) / value - 1) <= 5e-4


VALUES = st.lists(st.integers(min_value=0, max_value=1000), min_size=1, max_size=400)


@given(VALUES, st.integers(min_value=1, max_value=50))
def test_every_column_keeps_its_least_and_its_greatest(values: list[int], columns: int) -> None:
    row = np.array(values)
    kept = reduced(row, columns)
    assert len(kept) <= max(2 * columns, 1)
    assert np.all(np.diff(kept) > 0)
    assert row[kept].min() == row.min()
    assert row[kept].max() == row.max()
    if len(row) > 2 * columns:
        edges = np.linspace(0, len(row), columns + 1).astype(int)
        for start, end in pairwise(edges):
            mine = row[kept[(kept >= start) & (kept < end)]]
            assert (mine.min(), mine.max()) == (row[start:end].min(), row[start:end].max())


def test_half_a_million_values_keep_their_one_pause() -> None:
    row = np.ones(500_000)
    row[314_159] = 1000
    kept = reduced(row, 300)
    assert len(kept) <= 600
    assert 314_159 in kept


def test_few_values_all_stay() -> None:
    assert reduced([3, 1, 2], 300).tolist() == [0, 1, 2]
    assert reduced([], 300).tolist() == []
    with pytest.raises(ValueError, match="at least one column"):
        reduced([1], 0)
