"""Instances, cost and payback, by hand and by what must always hold."""

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.constructed import demand, service
from runfair.decision.rules import Criteria, decide
from runfair.decision.service_cost import ServiceCost
from runfair.decision.sizing import GIB, Demand, Need, Price, break_even, need
from runfair.errors import UserMistake
from runfair.statistics.capacity import CapacityInterval
from runfair.statistics.objective import Objective

rates = st.floats(1, 1e6)


def serving(low: float, high: float, memory_mib: int = 512) -> ServiceCost:
    return service(
        "any", p99_ms=9, own_cpu_ms=1, database_ms=1, capacity=(low, high), memory_mib=memory_mib
    )


def test_instances_keep_their_head_room() -> None:
    found = need(serving(1_000, 1_050), 10_000, 0.3)
    # 10,000 / (1,000 × 0.7) = 14.3 and 10,000 / (1,050 × 0.7) = 13.6.
    assert found == Need(14, 15, 14 * 512 * 2**20, 15 * 512 * 2**20)
    assert need(serving(1_000, 1_050), 1, 0) == Need(1, 1, 512 * 2**20, 512 * 2**20)


def test_one_of_several_has_its_part_of_what_they_served() -> None:
    three = replace(serving(3_000, 3_150, memory_mib=1_536), instances=3)
    assert need(three, 10_000, 0.3) == Need(14, 15, 14 * 512 * 2**20, 15 * 512 * 2**20, 3)


@given(rates, st.floats(1, 2), st.floats(1, 1e6), st.floats(0, 0.9))
def test_the_most_instances_carry_the_load(
    low: float, ratio: float, load: float, head_room: float
) -> None:
    found = need(serving(low, low * ratio), load, head_room)
    assert found is not None
    assert found.fewest <= found.most
    assert found.most * low * (1 - head_room) >= load * (1 - 1e-9)
    assert (found.most - 1) * low * (1 - head_room) < load * (1 + 1e-9)


def test_a_service_that_missed_at_no_rate_may_need_a_single_instance() -> None:
    """10,000 / (6,400 × 0.7) = 2.2, and nobody knows how much more than 6,400 it can serve."""
    found = CapacityInterval(6_400, None, 0.97, 9)
    assert need(replace(serving(1, 2), capacity=found), 10_000, 0.3) == Need(
        1, 3, 512 * 2**20, 3 * 512 * 2**20
    )


@pytest.mark.parametrize("capacity", [None, (None, 100.0), (None, None)])
def test_a_capacity_without_a_lower_limit_sizes_nothing(
    capacity: tuple[float | None, float | None] | None,
) -> None:
    any_service = serving(1, 2)
    found = None if capacity is None else CapacityInterval(*capacity, 0.97, 9)
    assert need(ServiceCost("any", any_service.executions, capacity=found), 10, 0.3) is None


def test_costs_and_payback_by_hand() -> None:
    price = Price(instance_per_month=100, gib_per_month=10)
    baseline, candidate = Need(10, 12, 10 * GIB, 12 * GIB), Need(3, 4, GIB, 2 * GIB)
    assert baseline.cost_per_month(price) == (1_100, 1_320)
    assert candidate.cost_per_month(price) == (310, 420)
    found = break_even(baseline, candidate, price, 6_800)
    assert (found.least_saving_per_month, found.greatest_saving_per_month) == (680, 1_010)
    assert found.latest_months == 10
    assert found.soonest_months == pytest.approx(6_800 / 1_010)


@given(st.tuples(*[st.integers(1, 50)] * 4))
def test_payback_is_never_later_than_its_latest(counts: tuple[int, ...]) -> None:
    a, b, c, d = counts
    baseline, candidate = (Need(low, low + more, 0, 0) for low, more in ((a, b), (c, d)))
    found = break_even(baseline, candidate, Price(100), 6_000)
    assert found.soonest_months <= found.latest_months
    assert (found.latest_months == inf) == (baseline.fewest <= candidate.most)
    reverse = break_even(candidate, baseline, Price(100), 6_000)
    assert reverse.least_saving_per_month == -found.greatest_saving_per_month


def test_a_load_alone_asks_for_instances_and_for_no_payback() -> None:
    """What a load takes is known without a price; the decision stays what it was without it."""
    pair = serving(490, 510), service("other", p99_ms=6, own_cpu_ms=0.5, database_ms=1)
    criteria = Criteria(Objective(0.99, 25_000_000), demand=Demand(10_000))
    decision = decide(criteria, pair[0], [pair[1]])[0]
    assert decision.baseline.need == need(pair[0], 10_000, 0.3)
    assert (decision.candidate.need, decision.break_even) == (None, None)
    assert decision.reason == decide(replace(criteria, demand=None), pair[0], [pair[1]])[0].reason
    priced = replace(criteria, demand=Demand(10_000, Price(0, gib_per_month=5)))
    assert decide(priced, pair[0], [pair[1]])[0].reason == decision.reason


@pytest.mark.parametrize(
    "state",
    [
        lambda: demand(load=0),
        lambda: demand(effort=-1),
        lambda: demand(payback=0),
        lambda: demand(instance=-1),
        lambda: demand(instance=0),
        lambda: Demand(1, head_room=1),
        lambda: Demand(1, effort=1),
        lambda: Criteria(Objective(0.99, 1), least_gain=0.9),
    ],
)
def test_a_mistaken_question_says_what_to_state(state) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserMistake, match="state") as caught:
        state()
    assert "\n" not in str(caught.value)
