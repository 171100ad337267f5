"""The search for a capacity: on exact answers, on simulated queues, and against false answers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.capacity import (
    MOST_OBSERVATIONS,
    PRECISION,
    Capacity,
    CapacityInterval,
    Point,
    curve,
)
from runfair.statistics.headline import headline
from runfair.statistics.objective import Meets, Objective
from simulated.latencies import FloatArray, percentile, queue

OBJECTIVE = Objective(0.99, 25_000_000)
SERVICE_NS = 1e6
EXECUTIONS = 4
REQUESTS = 10_000

Answer = Callable[[float, int], Meets]


def search(low: float, high: float, answer: Answer) -> CapacityInterval:
    """`answer` is asked with the rate and the number of the observation."""
    capacity = Capacity(low, high)
    for number in range(200):
        rate = capacity.next_rate()
        if rate is None:
            return capacity.interval()
        capacity.observe(rate, answer(rate, number))
    raise AssertionError("the search does not end")


def exact(truth: float) -> Answer:
    return lambda rate, _: "yes" if rate <= truth else "no"


def ends(found: CapacityInterval) -> tuple[float, float]:
    assert found.highest_met_per_s is not None and found.lowest_missed_per_s is not None
    return found.highest_met_per_s, found.lowest_missed_per_s


@given(st.floats(101, 9_999))
def test_exact_answers_enclose_the_truth(truth: float) -> None:
    found = search(100, 10_000, exact(truth))
    met, missed = ends(found)
    assert met <= truth < missed
    assert missed / met <= PRECISION
    # log2(ln 100 / ln 1.04) = 6.9 halvings, two bounds, and each end once more.
    assert found.observations <= 11
    assert found.confidence > 0.97
    assert not found.contradictions


@given(st.floats(101, 9_999), st.integers(0, 10), st.sampled_from(["flip", "unclear"]))
def test_one_false_or_unclear_answer_changes_nothing(truth: float, at: int, kind: str) -> None:
    def answer(rate: float, number: int) -> Meets:
        right = exact(truth)(rate, number)
        if number != at:
            return right
        if kind == "unclear":
            return "unclear"
        return "no" if right == "yes" else "yes"

    found = search(100, 10_000, answer)
    met, missed = ends(found)
    assert met <= truth < missed
    assert missed / met <= PRECISION


@given(st.lists(st.sampled_from(["yes", "no", "unclear"]), min_size=200, max_size=200))
def test_any_answers_end_the_search_and_order_its_ends(answers: list[Meets]) -> None:
    seen: dict[float, int] = {}

    def answer(rate: float, number: int) -> Meets:
        seen[rate] = seen.get(rate, 0) + 1
        return answers[number]

    found = search(100, 10_000, answer)
    assert max(seen.values()) <= MOST_OBSERVATIONS
    assert found.observations == sum(seen.values())
    assert (found.highest_met_per_s or 0) < (found.lowest_missed_per_s or inf)


def test_a_band_that_stays_unclear_is_left_inside() -> None:
    def answer(rate: float, _: int) -> Meets:
        return "yes" if rate < 900 else "no" if rate > 1_100 else "unclear"

    met, missed = ends(search(100, 10_000, answer))
    assert 900 / PRECISION <= met < 900
    assert 1_100 < missed <= 1_100 * PRECISION


def test_says_when_the_capacity_lies_outside_the_rates() -> None:
    below = search(100, 10_000, exact(50))
    assert (below.highest_met_per_s, below.lowest_missed_per_s) == (None, 100)
    above = search(100, 10_000, exact(1e6))
    assert (above.highest_met_per_s, above.lowest_missed_per_s) == (10_000, None)


def test_a_service_that_contradicts_itself_gets_an_interval_that_holds_both() -> None:
    capacity = Capacity(100, 200)
    for rate, meets in ((100, "yes"), (120, "no"), (140, "yes"), (200, "no")):
        for _ in range(2):
            capacity.observe(rate, meets)  # type: ignore[arg-type]
    found = capacity.interval()
    assert found.contradictions == ((120, 140),)
    assert ends(found) == (100, 200)


def test_confidence_is_less_where_observations_are_poorer_or_more() -> None:
    found = []
    for confidence, rates in ((0.99, 2), (0.9, 2), (0.9, 4)):
        capacity = Capacity(100, 10_000, observed_confidence=confidence)
        for rate in range(rates):
            capacity.observe(100 + rate, "yes")
        found.append(capacity.interval().confidence)
    assert found[0] == pytest.approx(1 - 2 * (3 * 0.005**2 - 2 * 0.005**3))
    assert found[0] > found[1] > found[2]


def constant(_: np.random.Generator) -> FloatArray:
    return np.full(REQUESTS, SERVICE_NS)


def exponential(rng: np.random.Generator) -> FloatArray:
    return rng.exponential(SERVICE_NS, REQUESTS)


def measured(
    rng: np.random.Generator, service: Callable[[np.random.Generator], FloatArray]
) -> Answer:
    """Four executions at a rate, their first tenth left out while the queue fills."""

    def answer(rate: float, _: int) -> Meets:
        executions = [
            queue(rng, rate_per_s=rate, service_ns=service(rng))[REQUESTS // 10 :]
            for _ in range(EXECUTIONS)
        ]
        return OBJECTIVE.met_by(headline(percentile(np.stack(executions), OBJECTIVE.share)))

    return answer


# An M/M/1 queue's latency is exponential with the rate that is left over (Kleinrock, Queueing
# Systems I, 1975, section 3.2). For M/D/1 the truth is simulated below, 8 million requests a rate.
M_M_1 = 1e9 / SERVICE_NS - log(100) / (OBJECTIVE.limit_ns / 1e9)
M_D_1 = 908.0


@pytest.mark.parametrize(("service", "truth"), [(exponential, M_M_1), (constant, M_D_1)])
def test_simulated_servers_are_found_within_5_percent(
    service: Callable[[np.random.Generator], FloatArray], truth: float
) -> None:
    seeds = range(60)
    found = [
        search(100, 3_000, measured(np.random.default_rng([81, seed]), service)) for seed in seeds
    ]
    middles = [np.sqrt(np.prod(ends(one))) for one in found]
    assert np.mean([abs(middle / truth - 1) <= 0.05 for middle in middles]) >= 0.95
    assert np.mean([met <= truth <= missed for met, missed in map(ends, found)]) >= 0.95


def test_the_truth_of_the_constant_server_is_what_a_long_queue_says() -> None:
    rng = np.random.default_rng(82)
    for rate, side in ((M_D_1 / 1.01, -1), (M_D_1 * 1.01, 1)):
        latencies = queue(rng, rate_per_s=rate, service_ns=np.full(4_000_000, SERVICE_NS))
        assert np.sign(np.quantile(latencies, 0.99) - OBJECTIVE.limit_ns) == side


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (1, inf), (1, 1)])
def test_refuses_rates_that_enclose_nothing(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="two rates"):
        Capacity(low, high)


def test_refuses_what_cannot_be_searched_or_said() -> None:
    with pytest.raises(ValueError, match="precision"):
        Capacity(1, 2, precision=1)
    with pytest.raises(ValueError, match="positive"):
        Capacity(1, 2).observe(0, "yes")
    with pytest.raises(ValueError, match="nothing was observed"):
        Capacity(1, 2).interval()


RATES = (100, 200, 300, 400, 500, 600, 700, 800, 900, 950)


def mm1(rate: float) -> Point:
    """A mean of M/M/1 with a capacity of 1,000/s."""
    return Point(rate, rate, 1e9 / (1_000 - rate))


def test_the_knee_of_a_queue_is_half_its_capacity() -> None:
    found = curve([mm1(rate) for rate in reversed(RATES)])
    assert (found.knee_per_s, found.saturated_from_per_s, found.reason) == (500, None, "")


def test_saturated_rates_are_no_part_of_the_curve() -> None:
    points = [Point(rate, min(rate, 1_000), 1e6) for rate in (400, 800, 1_000, 1_200, 1_600)]
    found = curve(points)
    assert (found.knee_per_s, found.saturated_from_per_s) == (1_000, 1_200)
    assert curve([Point(rate, rate / 2, 1e6) for rate in RATES]).reason.startswith(
        "the service is saturated"
    )


def test_a_rate_that_is_nearly_reached_is_kept_up_with() -> None:
    assert Point(1_000, 990, 1).keeps_up
    assert not Point(1_000, 989, 1).keeps_up


@pytest.mark.parametrize(
    ("rates", "reason"),
    [
        ((100, 200, 300), "at least 4 are needed"),
        ((100, 200, 300, 400), "measure higher"),
        ((600, 700, 800, 900), "measure lower"),
    ],
)
def test_says_what_the_rates_do_not_show(rates: tuple[int, ...], reason: str) -> None:
    found = curve([mm1(rate) for rate in rates])
    assert found.knee_per_s is None
    assert reason in found.reason


def test_refuses_what_is_no_curve() -> None:
    with pytest.raises(ValueError, match="one latency for each rate"):
        curve([mm1(100), mm1(100)])
    with pytest.raises(ValueError, match="positive"):
        curve([Point(100, 100, 0)])
