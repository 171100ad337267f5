"""Percentiles over executions: coverage and error rates by simulation, and what is refused."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.comparison import CONFIDENCE, holm, paired_ratio
from runfair.statistics.headline import headline, location, share
from simulated.experiments import experiment
from simulated.latencies import executions, percentile

REPETITIONS = 10_000
REQUESTS = 1_000
QUIET, OFTEN, SELDOM = 0.0, 10.0, 2.0
"""Stalls an execution. Two of them are a p99 that one stall more or less decides."""
CELL_NS = 2**19
"""The width of the cells of a histogram from 0.54 to 1.07 s."""


@cache
def population(stalls: float) -> npt.NDArray[np.float64]:
    """The p99 of 16,000 executions of one and the same service."""
    rng = np.random.default_rng([72, int(stalls)])
    parts = [
        percentile(executions(rng, count=4_000, requests=REQUESTS, stalls=stalls), 0.99)
        for _ in range(4)
    ]
    return np.concatenate(parts)


def differs(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> bool:
    """Whether a comparison that stands alone may state a difference."""
    p = paired_ratio(ours, theirs).p
    return p is not None and p <= 1 - CONFIDENCE


def self_comparisons(stalls: float, blocks: int) -> float:
    """The share of experiments that tell a service from itself, on a machine that slows by 4%."""
    rng = np.random.default_rng([73, int(stalls), blocks])
    machine = experiment(
        rng, repetitions=REPETITIONS, blocks=blocks, deviations=(0.015, 0.015), drift=0.04
    )
    values = machine * rng.choice(population(stalls), machine.shape)
    return float(np.mean([differs(v[1], v[0]) for v in values]))


@pytest.mark.parametrize("stalls", [QUIET, OFTEN])
@pytest.mark.parametrize("blocks", [3, 5])
def test_a_service_differs_from_itself_once_in_twenty(stalls: float, blocks: int) -> None:
    assert 0.044 <= self_comparisons(stalls, blocks) <= 0.056


@pytest.mark.parametrize("blocks", [3, 5])
def test_a_tail_of_a_few_stalls_errs_on_the_safe_side(blocks: int) -> None:
    assert self_comparisons(SELDOM, blocks) <= 0.056


def test_a_service_that_is_slower_is_found_out() -> None:
    rng = np.random.default_rng(74)
    values = rng.choice(population(OFTEN), (1_000, 2, 5, 2))
    found = [differs(2 * v[1], v[0]) for v in values]
    assert np.mean(found) > 0.95


@pytest.mark.parametrize("stalls", [QUIET, OFTEN, SELDOM])
@pytest.mark.parametrize("count", [6, 10, 20])
def test_headlines_cover_the_median(stalls: float, count: int) -> None:
    rng = np.random.default_rng([75, count])
    truth = float(np.median(population(stalls)))
    found = [headline(row) for row in rng.choice(population(stalls), (4_000, count))]
    assert {one.method for one in found} == {"order statistics"}
    covered = [one.low <= truth <= one.high for one in found]  # type: ignore[operator]
    assert 0.94 <= np.mean(covered) <= 0.99


@pytest.mark.parametrize("count", [2, 3, 5])
def test_headlines_of_few_quiet_executions_cover_too(count: int) -> None:
    rng = np.random.default_rng([76, count])
    truth = float(np.median(population(QUIET)))
    found = [headline(row) for row in rng.choice(population(QUIET), (4_000, count))]
    assert {one.method for one in found} == {"t on logs"}
    assert 0.935 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.975  # type: ignore[operator]


def test_a_table_needs_more_than_one_row_alone() -> None:
    """Of twenty rows of a service against itself, Holm states a difference in 5% of tables."""
    rng = np.random.default_rng(77)
    values = rng.choice(population(QUIET), (500, 20, 2, 3, 2))
    tables = [[paired_ratio(row[1], row[0]).p for row in table] for table in values]
    stated = [[p for p in holm(table) if p is not None and p <= 0.05] for table in tables]
    assert np.mean([bool(table) for table in stated]) <= 0.08
    alone = [p for table in tables for p in table]
    assert np.mean([p < 0.05 for p in alone if p is not None]) > 0.03


def test_six_executions_span_from_the_least_to_the_greatest() -> None:
    found = headline([5.0, 1.0, 2.0, 3.0, 4.0, 6.0])
    assert (found.value, found.low, found.high, found.executions) == (3.5, 1, 6, 6)


def test_says_why_there_is_no_interval() -> None:
    one = headline([3.0])
    assert (one.value, one.low, one.high, one.method) == (3, None, None, None)
    assert one.reason == (
        "a single execution does not show how much executions differ; a confidence interval needs "
        "6 executions"
    )
    never = headline([1.0, 2.0, float("inf")])
    assert never.high is None
    assert never.reason.startswith(
        "in 1 of 3 executions so many requests failed that the percentile falls on a failed request"
    )
    assert headline([2.0, 2.0]).reason.startswith(
        "2 executions have the same value, so they do not show how much executions differ"
    )


def test_equal_percentiles_differ_by_less_than_a_cell_of_their_histogram() -> None:
    """901 ms, as a histogram with three digits shows it. The values may lie at both ends."""
    shown = 1719 * CELL_NS
    found = headline([shown, shown])
    assert found.low is not None and found.high is not None
    assert found.low < shown - CELL_NS / 2 < shown + CELL_NS / 2 < found.high
    assert 0.99 * shown < found.low < found.high < 1.01 * shown
    ends = headline([shown - CELL_NS / 2, shown + CELL_NS / 2])
    assert found.low == pytest.approx(ends.low, rel=1e-6)
    assert headline([2047.0, 2047.0]).low is None


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_interval_of_values_in_cells_covers_the_median(count: int) -> None:
    """The true values differ by about a third of a cell, so often all are in the same cell."""
    rng = np.random.default_rng([31, count])
    middles = 1719 + rng.uniform(-0.5, 0.5, 2_000)
    covered = 0
    for middle in middles:
        found = headline(np.round(rng.normal(middle, 0.3, count)) * CELL_NS)
        assert found.low is not None and found.high is not None
        covered += found.low <= middle * CELL_NS <= found.high
    assert covered / len(middles) >= CONFIDENCE


def test_an_execution_that_never_answered_is_not_left_out() -> None:
    found = headline([1.0, 2.0, 3.0, 4.0, 5.0, float("inf")])
    assert (found.low, found.high) == (1, float("inf"))
    assert headline([1.0] + [float("inf")] * 5).value == float("inf")


@given(st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=30), st.floats(1e-3, 1e3))
def test_a_headline_lies_within_its_limits_and_scales(values: list[float], scale: float) -> None:
    found, scaled = headline(values), headline([scale * value for value in values])
    assert found.value == pytest.approx(float(np.median(values)))
    assert scaled.value == pytest.approx(scale * found.value)
    if found.low is None or found.high is None:
        assert found.reason
    elif found.method == "order statistics":
        assert found.low <= found.value <= found.high
        assert not found.reason


@pytest.mark.parametrize("bad", [[], [0.0], [-1.0, 2.0], [float("nan"), 1.0]])
def test_refuses_values_that_are_no_latencies(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        headline(bad)


times = st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=10)


@pytest.mark.parametrize("executions", [4, 6, 10])
def test_intervals_cover(executions: int) -> None:
    rng = np.random.default_rng([41, executions])
    values = 5e6 * np.exp(0.015 * rng.standard_normal((10_000, executions)))
    seen = [location(row) for row in values]
    covered = [one.low <= 5e6 <= one.high for one in seen]  # type: ignore[operator]
    assert 0.935 <= np.mean(covered) <= 0.975


def test_centre_is_geometric() -> None:
    assert location([1.0, 4.0, 16.0]).value == pytest.approx(4.0)
    assert location([1.0, 4.0, 16.0]).executions == 3


def test_no_interval_without_spread() -> None:
    for values in ([7.0], [7.0] * 5):
        seen = location(values)
        assert seen.value == pytest.approx(7.0)
        assert (seen.low, seen.high) == (None, None)


@pytest.mark.parametrize("values", [[], [0.0], [-1.0, 1.0], [np.nan]])
def test_refuses_values_that_are_no_times(values: list[float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        location(values)


@given(times, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_the_centre_lies_inside(values, random) -> None:  # type: ignore[no-untyped-def]
    seen = location(values)
    assert location(random.sample(values, len(values))).value == pytest.approx(seen.value)
    assert min(values) * (1 - 1e-9) <= seen.value <= max(values) * (1 + 1e-9)
    if seen.low is not None and seen.high is not None:
        assert seen.low <= seen.value <= seen.high


def test_a_share_has_a_mean_and_an_interval_that_begins_at_zero() -> None:
    found = share([0.0, 0.02, 0.0, 0.02])
    assert found.value == pytest.approx(0.01)
    assert (found.low, found.method) == (0.0, "t")
    assert found.high == pytest.approx(0.01 + 3.1824 * 0.011547 / 2, rel=1e-4)
    wide = share([0.49, 0.5, 0.51])
    assert wide.low is not None and wide.high is not None
    assert wide.low + wide.high == pytest.approx(1.0)


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0], [0.3, 0.3, 0.3]])
def test_shares_without_spread_have_no_interval(values: list[float]) -> None:
    found = share(values)
    assert found.value == pytest.approx(values[0])
    assert (found.low, found.high) == (None, None)
    assert found.reason


@pytest.mark.parametrize("values", [[], [-0.1, 0.2], [float("nan")], [float("inf")]])
def test_refuses_values_that_are_no_shares(values: list[float]) -> None:
    with pytest.raises(ValueError, match="shares must be"):
        share(values)
