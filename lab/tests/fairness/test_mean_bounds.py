"""The mean latency lies between its limits, where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from runfair.fairness.mean_bounds import mean_limits
from runfair.formats.finding import Finding
from simulated.doubts import doubt, examined, requests_of
from simulated.requests import GOOD
from simulated.service_load import Load

LATE = doubt("generator_delay", "longer")
UNSIZED = doubt("throttling", "longer").model_copy(update={"severity": "warning"})


@pytest.mark.parametrize("seed", range(5))
def test_a_late_generator_lengthened_the_mean_by_no_more_than_its_lags(seed: int) -> None:
    requests, punctual_ns = requests_of(np.random.default_rng(seed), late=0.01)
    load = examined(Load(requests, 1000.0))
    steady = requests.intended_ns >= load.steady_from_ns
    low, high = mean_limits(load, [LATE])
    assert low is not None and high is not None
    truth = float(punctual_ns[steady].mean())
    # A cell of the histogram is a thousandth wide.
    assert low * 0.999 <= truth <= high * 1.001
    assert low > 0.5 * high
    assert load.mean_ns == high


def test_a_wrong_body_that_was_not_compared_may_be_the_slowest() -> None:
    """An eighth of the requests failed, and the slowest seventh of the answers may be wrong."""
    requests, _ = requests_of(np.random.default_rng(1), late=0.0)
    sampled = Load(requests, 1000.0).failing(1 / 8, "wrong_body").telling(check_share=0.5)
    load = examined(sampled)
    steady = sampled.requests.good.after(load.steady_from_ns)
    fastest = np.sort(steady.latency_ns)[: round(len(steady.kind) * 6 / 7)]
    low, high = mean_limits(load, [doubt("errors", "either")])
    assert low == pytest.approx(fastest.mean() * 6 / 8, rel=0.01)
    assert high is None


def test_without_a_doubt_it_is_what_was_measured() -> None:
    load = examined(Load(requests_of(np.random.default_rng(1), late=0.0)[0], 1000.0))
    assert mean_limits(load, []) == (load.mean_ns, load.mean_ns)
    assert mean_limits(load, [doubt("few_requests", "either")]) == (load.mean_ns, load.mean_ns)
    noted = LATE.model_copy(update={"severity": "limitation"})
    assert mean_limits(load, [noted]) == (load.mean_ns, load.mean_ns)


@pytest.mark.parametrize(
    ("found", "low", "high"),
    [
        (doubt("foreign_time", "longer"), None, 1.0),
        (doubt("omitted_pauses", "shorter"), 1.0, None),
        (doubt("relay_delay", "longer", 0.1), None, 1.0),
        (UNSIZED, None, 1.0),
        (doubt("calibration", "either", 0.1), 0.9, 1 / 0.9),
        (doubt("errors", "either"), 1.0, None),  # none failed
    ],
)
def test_the_other_side_of_a_doubt_is_what_was_measured(
    found: Finding, low: float | None, high: float | None
) -> None:
    requests, _ = requests_of(np.random.default_rng(1), late=0.0)
    assert set(requests.kind) == {GOOD}
    load = examined(Load(requests, 1000.0))
    assert load.mean_ns is not None
    told = mean_limits(load, [found])
    for end, wanted in zip(told, (low, high), strict=True):
        assert end == (None if wanted is None else pytest.approx(wanted * load.mean_ns))
