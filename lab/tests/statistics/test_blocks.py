"""Medians and quantiles of short rows are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from runfair.statistics.blocks import median, quantiles, reduce


@pytest.mark.parametrize("size", [1, 2, 3, 4, 19, 20, 1_001])
def test_the_median_and_the_quantiles_are_numpys(size: int) -> None:
    random = np.random.default_rng(size)
    for _ in range(20):
        row = random.lognormal(15, 1, size)
        before = row.copy()
        assert median(row) == float(np.median(row))
        assert quantiles(row, (0.1, 0.5, 0.9)) == pytest.approx(
            np.quantile(row, (0.1, 0.5, 0.9)).tolist(), rel=1e-12
        )
        assert median(row.astype(np.int64)) == float(np.median(row.astype(np.int64)))
        assert (row == before).all()


def test_blocks_of_one_iteration_are_the_iterations() -> None:
    row = np.random.default_rng(1).lognormal(15, 1, 20)
    found = reduce(row, 1, 1.0, 0.01)
    assert found.values_ns.tolist() == row.tolist()
    assert found.edges.tolist() == [*range(20), 20]
    longer = reduce(row, 5, 1.0, 0.01)
    assert longer.values_ns.tolist() == [float(np.median(row[n : n + 5])) for n in (0, 5, 10, 15)]
