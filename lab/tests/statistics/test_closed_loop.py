"""Little's law and the stall test, on loads simulated with one stall of the server."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.closed_loop import (
    IMPOSSIBLE,
    SATURATED,
    StallTest,
    saturation,
    share_at_least,
    stall_test,
    under_way,
)

FloatArray = npt.NDArray[np.float64]
LENGTH_NS = 10e9
SERVICE_NS = 1e6
STALL_FROM_NS, STALL_NS = 5e9, 100e6
SHARES = (0.5, 0.9, 0.98, 0.99, 0.995, 0.999)
QUEUED_NS = 0.4e6
"""What a request of the open loop keeps the server busy: 80% of it at 2,000/s."""


def done(sent_ns: float) -> float:
    """When a server of constant service time answers that stands still for 100 ms in the middle."""
    finish = sent_ns + SERVICE_NS
    if finish > STALL_FROM_NS and sent_ns < STALL_FROM_NS + STALL_NS:
        return max(finish, STALL_FROM_NS + STALL_NS + SERVICE_NS)
    return finish


def closed(connections: int, pause_ns: float = 0.0) -> FloatArray:
    """Latencies from sending; each connection waits for its answer, and for `pause_ns`."""
    found = []
    for each in range(connections):
        at = each * SERVICE_NS / connections
        while at < LENGTH_NS:
            end = done(at)
            found.append(end - at)
            at = end + pause_ns
    return np.asarray(found)


def open_loop(rate_per_s: float) -> FloatArray:
    """Latencies from the schedule; one request after another, so that a stall leaves a queue."""
    found, free = [], 0.0
    for at in np.arange(0, LENGTH_NS, 1e9 / rate_per_s):
        begun = max(free, float(at))
        if STALL_FROM_NS <= begun < STALL_FROM_NS + STALL_NS:
            begun = STALL_FROM_NS + STALL_NS
        free = begun + QUEUED_NS
        found.append(free - float(at))
    return np.asarray(found)


def outcome_of(latencies_ns: FloatArray) -> StallTest:
    percentiles = [
        (share, float(np.quantile(latencies_ns, share, method="inverted_cdf"))) for share in SHARES
    ]
    return stall_test(float(latencies_ns.max()), LENGTH_NS, percentiles, len(latencies_ns))


def ratio(latencies_ns: FloatArray, connections: int) -> float:
    rate = len(latencies_ns) / LENGTH_NS * 1e9
    return saturation(rate, float(latencies_ns.mean()), connections)


def test_a_closed_loop_is_saturated_and_fails() -> None:
    latencies = closed(4)
    assert SATURATED < ratio(latencies, 4) < IMPOSSIBLE
    found = outcome_of(latencies)
    assert found.outcome == "failed"
    assert found.most < found.required


def test_a_paced_loop_is_not_saturated_and_fails() -> None:
    latencies = closed(4, pause_ns=9e6)
    assert ratio(latencies, 4) < 0.5
    assert outcome_of(latencies).outcome == "failed"


def test_an_open_loop_passes() -> None:
    latencies = open_loop(2_000)
    found = outcome_of(latencies)
    assert found.outcome == "passed"
    assert found.least > 2 * found.required


def test_one_slow_request_accuses_an_open_loop_as_well() -> None:
    """Why a failed test is no proof."""
    latencies = np.full(20_000, 1e6)
    latencies[7] = 100e6
    assert outcome_of(latencies).outcome == "failed"


def test_coarse_percentiles_decide_nothing() -> None:
    assert stall_test(100e6, 10e9, [(0.5, 1e6)], 20_000).outcome == "undecided"


@given(
    st.lists(st.floats(1, 1e9), min_size=1, max_size=200),
    st.lists(st.floats(0, 1), max_size=6),
    st.floats(0, 1),
)
def test_the_bounds_hold_the_share(values: list[float], shares: list[float], at: float) -> None:
    latencies = np.asarray(values)
    threshold = float(latencies.max()) * at
    percentiles = [
        (share, float(np.quantile(latencies, share, method="inverted_cdf"))) for share in shares
    ]
    least, most = share_at_least(threshold, percentiles, len(values))
    share = float(np.mean(latencies >= threshold))
    assert least <= share + 1e-9
    assert share <= most + 1e-9


def test_little() -> None:
    assert under_way(2_000, 2e6) == pytest.approx(4)
    assert saturation(2_000, 2e6, 4) == pytest.approx(1)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="connection"):
        saturation(1, 1, 0)
    with pytest.raises(ValueError, match="duration"):
        stall_test(1, 0, [], 1)
    with pytest.raises(ValueError, match="value"):
        stall_test(1, 1, [], 0)
