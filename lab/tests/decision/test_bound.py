"""The bound holds for whatever only another CPU time could bring."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.constructed import service
from runfair.decision.bound import Bound, bound
from runfair.decision.breakdown import Breakdown, breakdown
from runfair.decision.gain import gains
from simulated.latencies import queue

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


def test_the_designs_example() -> None:
    most = bound(Breakdown(410_000, 60_000, 1_710_000, 220_000, unaccounted=0))
    assert most.without_own_cpu == pytest.approx(2.4 / 1.93)
    assert most.at_most == pytest.approx(2.4 / 1.71)


def test_without_a_database_there_is_no_bound() -> None:
    assert bound(Breakdown(1, 0, 0, 0, unaccounted=0)) == Bound(inf, inf)
    assert bound(Breakdown(1, 0, 0, 1, unaccounted=0)) == Bound(2, inf)
