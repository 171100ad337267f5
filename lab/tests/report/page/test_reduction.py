"""What is left of a curve: few points, every extreme."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.report.page.reduction import reduced

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
