"""Percentiles where some requests failed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.histogram import Histogram
from runfair.statistics.partial_identification import bracket, least_median

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


TRUE = st.lists(st.floats(0, 1e9), min_size=1, max_size=40)


def lower_median(values: np.ndarray) -> float:
    return float(np.sort(values)[(len(values) - 1) // 2])


@given(true=TRUE, data=st.data())
def test_the_true_median_is_never_below(true: list[float], data: st.DataObject) -> None:
    """However the delay was spread over the durations."""
    delays = data.draw(
        st.lists(st.floats(0, 1e9), min_size=len(true), max_size=len(true)), label="delays"
    )
    measured = np.array(true) + np.array(delays)
    found = least_median(measured, float(np.sum(delays)))
    assert found is not None
    assert found <= lower_median(np.array(true)) * (1 + 1e-9) + 1e-3


def test_without_interruptions_it_is_the_median() -> None:
    assert least_median([1, 2, 3], 0) == 2
    assert least_median([], 0) is None


def test_one_long_interruption_among_many_short_iterations_moves_it_by_little() -> None:
    """A second that others took in all cannot have made each of a thousand iterations longer."""
    random = np.random.default_rng(1)
    true = 1e7 * np.exp(random.normal(0, 0.003, 1000))
    measured = true.copy()
    measured[500] += 1e9
    found = least_median(measured, 1e9)
    assert found is not None
    assert found == pytest.approx(np.median(true), rel=0.3)
    assert found <= np.median(true)


def test_it_is_never_negative() -> None:
    assert least_median([1.0, 2.0], 1e9) == 0
