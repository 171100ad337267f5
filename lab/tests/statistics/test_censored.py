"""Percentiles where some requests failed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.histogram import Histogram
from runfair.statistics.censored import bracket

VALUES = st.lists(st.integers(1, 10**9), min_size=1, max_size=60)


def nearest(values: list[float], share: float) -> float:
    return float(np.quantile(values, share, method="inverted_cdf"))


@given(good=VALUES, lost=st.lists(st.integers(1, 10**9), max_size=20), share=st.floats(0.1, 0.99))
def test_whatever_the_lost_ones_would_have_been_lies_between(
    good: list[int], lost: list[int], share: float
) -> None:
    failed = len(lost) / (len(good) + len(lost))
    low, high = bracket(Histogram.of_values(good), failed, share)
    # A rank on the edge may fall to either side by its last binary digit.
    edges = [nearest([*good, *lost], one) for one in (share - 1e-9, share + 1e-9)]
    assert low is not None and low <= max(edges)
    assert high is None or high >= min(edges)


@pytest.mark.parametrize(
    ("failed", "share", "expected"),
    [
        (0.0, 0.5, (50, 50)),
        (0.1, 0.5, (45, 56)),  # (0.5 - 0.1) / 0.9 and 0.5 / 0.9 of a hundred good answers
        (0.01, 0.99, (99, 100)),
        (0.02, 0.99, (99, None)),  # who failed may be the tail
        (0.6, 0.5, (0, None)),
        (1.0, 0.5, (0, None)),
    ],
)
def test_failed_requests_are_the_fastest_or_the_slowest(
    failed: float, share: float, expected: tuple[float, float | None]
) -> None:
    assert bracket(Histogram.of_values(range(1, 101)), failed, share) == expected


@pytest.mark.parametrize("failed", [-0.1, 1.1])
def test_a_share_that_is_none(failed: float) -> None:
    with pytest.raises(ValueError, match="a share is 0 to 1"):
        bracket(Histogram.of_values([1]), failed, 0.5)
