"""What a candidate gains, and what may be said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decision.constructed import service
from runfair.decision.gain import gains

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
