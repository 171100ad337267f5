"""What a candidate gains, and what may be said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from decision.constructed import service
from runfair.decision.gain import gains
from runfair.decision.service_cost import ServiceCost

BASELINE = service("baseline", p99_ms=10, own_cpu_ms=1, database_ms=1)


@pytest.mark.parametrize(("p99_ms", "shown"), [(5, True), (9.99, False), (20, False)])
def test_only_what_became_faster_is_shown_to_gain(p99_ms: float, shown: bool) -> None:
    candidate = service("candidate", p99_ms=p99_ms, own_cpu_ms=1, database_ms=1)
    (gain,) = gains(BASELINE, [candidate])
    assert gain.percentile is not None
    assert gain.percentile.value == pytest.approx(10 / p99_ms, rel=0.02)
    assert gain.is_shown(noise_floor=0.01) is shown
    assert gain.pairs == len(BASELINE.executions)


@pytest.mark.parametrize("which", ["baseline", "candidate"])
def test_what_does_not_serve_the_rate_is_compared_with_nothing(which: str) -> None:
    candidate = service("candidate", p99_ms=5, own_cpu_ms=1, database_ms=1)
    sides = {"baseline": BASELINE, "candidate": candidate}
    sides[which] = replace(sides[which], unserved="the service is beyond its capacity")
    (gain,) = gains(sides["baseline"], [sides["candidate"]])
    assert (gain.percentile, gain.mean_latency, gain.own_cpu, gain.p) == (None, None, None, None)
    assert not gain.is_shown(noise_floor=0.01)
    assert gain.pairs == len(BASELINE.executions)


def test_doubts_about_cpu_time_widen_the_gain() -> None:
    """Each limit of the baseline meets the opposite limit of the candidate."""
    candidate = service("candidate", p99_ms=10, own_cpu_ms=0.5, database_ms=1)
    (plain,) = gains(BASELINE, [candidate])
    (doubtful,) = gains(BASELINE, [within(candidate, 0.9, 1.25)])
    assert plain.own_cpu is not None and doubtful.own_cpu is not None
    assert doubtful.own_cpu.value == plain.own_cpu.value
    for found, measured, factor in (
        (doubtful.own_cpu.low, plain.own_cpu.low, 1 / 1.25),
        (doubtful.own_cpu.high, plain.own_cpu.high, 1 / 0.9),
    ):
        assert found is not None and measured is not None
        assert abs(found / (measured * factor) - 1) < 1e-9


def test_an_open_limit_of_cpu_time_opens_the_gain_on_the_other_side() -> None:
    candidate = service("candidate", p99_ms=10, own_cpu_ms=0.5, database_ms=1)
    (open_above,) = gains(BASELINE, [within(candidate, 0.9, None)])
    assert open_above.own_cpu is not None
    assert open_above.own_cpu.low is None
    assert open_above.own_cpu.high is not None


@pytest.mark.parametrize(
    ("which", "sides", "low", "high"),
    [
        ("baseline", (True, False), False, True),
        ("baseline", (False, True), True, False),
        ("candidate", (True, False), True, False),
        ("candidate", (False, True), False, True),
        ("candidate", (True, True), False, False),
    ],
)
def test_an_open_side_of_the_percentile_opens_the_gain(
    which: str, sides: tuple[bool, bool], low: bool, high: bool
) -> None:
    """Only the limits that the doubt cannot have moved remain."""
    candidate = service("candidate", p99_ms=5, own_cpu_ms=1, database_ms=1)
    both = {"baseline": BASELINE, "candidate": candidate}
    (plain,) = gains(BASELINE, [candidate])
    both[which] = replace(both[which], open_sides=sides)
    (gain,) = gains(both["baseline"], [both["candidate"]])
    assert plain.percentile is not None and gain.percentile is not None
    assert gain.percentile.value == plain.percentile.value
    assert gain.percentile.low == (plain.percentile.low if low else None)
    assert gain.percentile.high == (plain.percentile.high if high else None)
    assert gain.is_shown(noise_floor=0.01) is low


def test_a_disturbed_candidate_is_never_said_to_gain_too_little() -> None:
    """The candidate's true percentile is half of the baseline's, but other processes made its
    requests about twice as slow, by a factor that differs between executions."""
    random = np.random.default_rng(11)
    fast = service("candidate", p99_ms=5, own_cpu_ms=1, database_ms=1)
    for _ in range(100):
        measured = [
            replace(one, percentile_ns=5e6 * random.uniform(1.95, 2.1)) for one in fast.executions
        ]
        candidate = replace(fast, executions=tuple(measured))
        disturbed = replace(candidate, open_sides=(True, False))
        (as_measured,), (under_doubt,) = gains(BASELINE, [candidate]), gains(BASELINE, [disturbed])
        assert as_measured.is_below(1.1)
        assert not under_doubt.is_below(1.1)
        assert not under_doubt.is_shown(noise_floor=0.01)


def within(costs: ServiceCost, low: float, high: float | None) -> ServiceCost:
    """The CPU time of each execution has these limits, as multiples of its measured value."""
    executions = tuple(
        replace(
            one,
            cpu_limits_ns=(one.own_cpu_ns * low, None if high is None else one.own_cpu_ns * high),
        )
        for one in costs.executions
    )
    return replace(costs, executions=executions)
