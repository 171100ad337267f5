"""The split of a mean request: exact sums, no part below nothing, gaps said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.constructed import service
from runfair.decision.breakdown import QUEUE_UNKNOWN, Bound, Breakdown, bound, breakdown
from runfair.decision.gain import gains
from runfair.decision.service_cost import ExecutionCost, ServiceCost
from simulated.latencies import queue

times = st.floats(0, 1e12)


@st.composite
def costs(draw: st.DrawFn) -> ServiceCost:
    def execution(place: int) -> ExecutionCost:
        return ExecutionCost(
            half_block=place,
            percentile_ns=1.0,
            mean_latency_ns=draw(st.floats(1e-3, 1e12)),
            own_cpu_ns=draw(st.floats(1e-3, 1e12)),
            run_queue_ns=draw(st.none() | times),
            database_ns=draw(times),
            other_waits_ns=draw(st.none() | times),
            peak_memory_bytes=1,
        )

    return ServiceCost("any", tuple(execution(place) for place in range(draw(st.integers(1, 4)))))


@given(costs())
def test_parts_are_never_negative_and_sum_to_the_mean(cost: ServiceCost) -> None:
    split = breakdown(cost)
    mean = sum(one.mean_latency_ns for one in cost.executions) / len(cost.executions)
    parts = split.parts_ns().values()
    assert min(parts) >= 0
    assert sum(parts) == split.mean_ns
    assert split.mean_ns == pytest.approx(mean, abs=1)
    assert sum(split.share(part) for part in split.parts_ns()) == pytest.approx(1)


def test_what_was_not_measured_is_the_rest() -> None:
    split = breakdown(
        service(
            "any",
            p99_ms=18,
            own_cpu_ms=0.41,
            run_queue_ms=0.06,
            database_ms=1.71,
            other_ms=0.22,
            spread=0,
        )
    )
    assert split == Breakdown(410_000, 60_000, 1_710_000, 220_000, unaccounted=0)
    assert not split.note


def with_other(other_ms: float, own_ms: float = 1.0) -> ServiceCost:
    """A mean of 2 ms: 1 ms CPU, 0.5 ms database, 0.5 ms not known, of which `other_ms` measured."""
    whole = service("any", p99_ms=9, own_cpu_ms=1, database_ms=0.5, other_ms=0.5, spread=0)
    return replace(
        whole,
        executions=tuple(
            replace(one, other_waits_ns=other_ms * 1e6, own_cpu_ns=own_ms * 1e6)
            for one in whole.executions
        ),
    )


@pytest.mark.parametrize(("other_ms", "closes"), [(0.5, True), (0.41, True), (0.39, False)])
def test_a_gap_of_more_than_5_percent_is_said(other_ms: float, closes: bool) -> None:
    split = breakdown(with_other(other_ms))
    assert bool(split.note) != closes
    assert split.unaccounted == pytest.approx((0.5 - other_ms) / 2)
    assert split.other_waits_ns == 500_000
    assert ("no measurement explains" in split.note) != closes


@pytest.mark.parametrize(("own_ms", "closes"), [(1.09, True), (1.11, False), (3.0, False)])
def test_parts_beyond_the_mean_are_scaled_and_said(own_ms: float, closes: bool) -> None:
    split = breakdown(with_other(0.5, own_ms))
    assert bool(split.note) != closes
    assert split.mean_ns == 2_000_000
    assert split.own_cpu_ns / split.database_ns == pytest.approx(own_ms / 0.5, rel=1e-5)
    assert ("exceed the mean" in split.note) != closes


def test_waits_that_some_executions_did_not_measure_are_the_rest() -> None:
    whole = with_other(0.1)
    first, *others = whole.executions
    partly = replace(whole, executions=(replace(first, other_waits_ns=None), *others))
    assert breakdown(whole).note
    assert not breakdown(partly).note


def test_an_unknown_run_queue_is_no_wait_of_nothing() -> None:
    whole = service("any", p99_ms=18, own_cpu_ms=0.5, run_queue_ms=0.5, database_ms=1, spread=0)
    first, *others = whole.executions
    partly = replace(whole, executions=(replace(first, run_queue_ns=None), *others))
    split = breakdown(partly)
    assert breakdown(whole).run_queue_ns == 500_000
    assert split.run_queue_ns == 0
    assert split.other_waits_ns == breakdown(whole).other_waits_ns + 500_000
    assert split.note == QUEUE_UNKNOWN


@pytest.mark.parametrize(
    "broken",
    [
        lambda one: replace(one, mean_latency_ns=0),
        lambda one: replace(one, own_cpu_ns=0),
        lambda one: replace(one, database_ns=-1),
        lambda one: replace(one, run_queue_ns=float("inf")),
        lambda one: replace(one, percentile_ns=float("nan")),
    ],
)
def test_refuses_costs_that_cannot_be(broken: Callable[[ExecutionCost], ExecutionCost]) -> None:
    one = service("any", p99_ms=1, own_cpu_ms=1, database_ms=1).executions[0]
    with pytest.raises(ValueError, match=r"mean latency|percentile|CPU time"):
        broken(one)


def test_refuses_no_executions_or_one_twice() -> None:
    one = service("any", p99_ms=1, own_cpu_ms=1, database_ms=1).executions[0]
    for executions in ((), (one, one)):
        with pytest.raises(ValueError, match="only one execution in each half of a block"):
            ServiceCost("any", executions)


ms = st.floats(0.01, 100)


@given(own=ms, faster=st.floats(0.01, 1), queue_ms=st.floats(0, 10), database=ms, other=ms)
def test_a_measured_gain_stays_below_where_only_cpu_differs(
    own: float, faster: float, queue_ms: float, database: float, other: float
) -> None:
    """Own CPU and the run queue become `faster` times what they were; all else stays."""
    both = [
        service(
            "any",
            p99_ms=1,
            own_cpu_ms=own * factor,
            run_queue_ms=queue_ms * factor,
            database_ms=database,
            other_ms=other,
            spread=0,
            executions=5,
        )
        for factor in (1, faster)
    ]
    measured = gains(both[0], [both[1]])[0].mean_latency
    most = bound(breakdown(both[0]))
    assert measured is not None
    # Parts are whole nanoseconds of at least 10 µs.
    assert measured.value <= most.without_own_cpu * 1.001
    assert most.without_own_cpu <= most.at_most


def test_queueing_inside_the_process_is_granted_to_the_bound() -> None:
    """One server at 80%: a tenth of its CPU time gains more than that time itself, since requests
    no longer wait for one another, and neither the kernel nor the relay sees them wait."""
    rng, database_ns, own_ns, rate = np.random.default_rng(91), 500_000, 1e6, 800.0
    before, after = (
        queue(rng, rate_per_s=rate, service_ns=np.full(400_000, own)).mean() + database_ns
        for own in (own_ns, own_ns / 10)
    )
    other = round(before - own_ns - database_ns)
    most = bound(Breakdown(round(own_ns), 0, database_ns, other, unaccounted=0))
    assert most.without_own_cpu < before / after <= most.at_most
    assert most.queueing_matters


def test_the_bound_rests_on_the_least_time_in_the_database() -> None:
    base = service("any", p99_ms=18, own_cpu_ms=1, database_ms=8, other_ms=1, spread=0)
    assert bound(breakdown(base)).at_most == pytest.approx(10 / 8)
    for least_ns, at_most in ((2e6, 5), (9e6, 10 / 8), (0.0, inf)):
        executions = tuple(replace(one, least_database_ns=least_ns) for one in base.executions)
        split = breakdown(replace(base, executions=executions))
        assert bound(split).at_most == pytest.approx(at_most)


def test_the_designs_example() -> None:
    most = bound(Breakdown(410_000, 60_000, 1_710_000, 220_000, unaccounted=0))
    assert most.without_own_cpu == pytest.approx(2.4 / 1.93)
    assert most.at_most == pytest.approx(2.4 / 1.71)


def test_without_a_database_there_is_no_bound() -> None:
    assert bound(Breakdown(1, 0, 0, 0, unaccounted=0)) == Bound(inf, inf)
    assert bound(Breakdown(1, 0, 0, 1, unaccounted=0)) == Bound(2, inf)
