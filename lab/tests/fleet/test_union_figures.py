"""Percentiles of the union of several hosts' requests."""

from __future__ import annotations

import numpy as np

from runfair.fleet.union_figures import added_by_generators, figures_of
from runfair.statistics.percentile import ranks

MS = 1_000_000
COUNT = 1_000
AT_NS = np.arange(COUNT, dtype=np.int64) * MS


def values() -> np.ndarray:
    return np.random.default_rng(1).permutation(np.arange(1, COUNT + 1, dtype=np.int64)) * MS


def test_percentiles_come_with_the_interval_of_independent_requests() -> None:
    found = figures_of(values(), AT_NS, 10 * MS)
    assert (found.count, found.min, found.max) == (COUNT, MS, COUNT * MS)
    assert (found.p50, found.p99) == (500 * MS, 990 * MS)
    interval, enclosing = found.intervals["p50"], ranks(0.5, COUNT)
    assert enclosing.low is not None
    assert interval.high_ns is not None
    # Requests that are hardly dependent have hardly wider intervals.
    assert interval.low_ns <= enclosing.low * MS
    assert 500 * MS < interval.high_ns < 600 * MS
    assert "too few requests" in found.withheld["p99_99"]


def test_dependent_requests_have_a_wider_interval() -> None:
    ordered = np.sort(values())
    free, bound = (figures_of(each, AT_NS, 10 * MS) for each in (values(), ordered))
    assert bound.effective_count["p50"] < free.effective_count["p50"] / 5


def test_failed_requests_leave_limits() -> None:
    found = figures_of(values(), AT_NS, 10 * MS, failed=20)
    assert found.p50 is None
    assert found.brackets["p50"].low_ns == 490 * MS
    assert found.brackets["p50"].high_ns == 510 * MS
    assert (found.brackets["p99"].high_ns, found.brackets["p99"].high_at_least_ns) == (
        None,
        COUNT * MS,
    )


def test_nothing_has_no_figures() -> None:
    nothing = figures_of(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), MS)
    assert (nothing.count, nothing.p50, nothing.max) == (0, None, None)


def test_the_generators_own_part_withholds_a_percentile() -> None:
    lag = np.full(COUNT, 40 * MS)
    slow = np.full(COUNT, 1_000 * MS)
    assert added_by_generators(slow, lag) == {}
    assert set(added_by_generators(slow, 2 * lag)) == {"p50", "p90", "p99", "p99_9", "p99_99"}
    reasons = added_by_generators(slow, 2 * lag)
    assert reasons["p50"] == (
        "delays in the load generators themselves make up 80 ms of this percentile's 1e+03 ms"
    )
    withheld = figures_of(slow, AT_NS, 10 * MS, withheld=reasons)
    assert withheld.p50 is None
    assert withheld.withheld["p50"] == reasons["p50"]
