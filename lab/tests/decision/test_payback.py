"""Verdicts that depend on whether the saving pays for the rewrite."""

from dataclasses import replace

from decision.constructed import CRITERIA, demand, service
from decision.verdict import BASE, told
from runfair.decision.sentence import sentence
from runfair.decision.service_cost import ServiceCost


def test_a_candidate_that_misses_is_not_justified_however_cheap() -> None:
    criteria = replace(CRITERIA, demand=demand())
    cheap = service("other", p99_ms=26, own_cpu_ms=0.1, database_ms=0.5, capacity=(5_000, 5_100))
    base = service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5, capacity=(500, 510))
    assert told(base, cheap, criteria)[1] == "the candidate misses it"
    meeting = service("other", p99_ms=24, own_cpu_ms=0.1, database_ms=0.5, capacity=(5_000, 5_100))
    assert told(base, meeting, criteria)[1] == "it pays"


def sized(
    baseline: tuple[float, float], candidate: tuple[float, float]
) -> tuple[ServiceCost, ServiceCost]:
    return (
        service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5, capacity=baseline),
        service("other", p99_ms=12, own_cpu_ms=1, database_ms=0.5, capacity=candidate),
    )


def test_a_saving_pays_or_does_not_or_cannot_be_told() -> None:
    """10,000/s at 30% head-room: 29 or 30 instances of the one, 15 of the other, 100 a month each:
    1,400 or 1,500 saved."""
    pair = sized((490, 510), (990, 1_010))
    for effort, reason in (
        (12_000, "it pays"),  # 8 or 8.6 months, of 12
        (17_500, "payback unclear"),  # 11.7 or 12.5 months
        (30_000, "it does not pay"),
    ):
        assert told(*pair, replace(CRITERIA, demand=demand(effort=effort)))[1] == reason
    criteria = replace(CRITERIA, demand=demand(effort=12_000, payback=8.3))
    assert told(*pair, criteria)[1] == "payback unclear"
    assert told(*pair, replace(criteria, demand=demand(effort=0)))[1] == "it pays"


def test_a_saving_that_is_none_does_not_pay() -> None:
    pair = sized((990, 1_010), (490, 510))
    decision, reason = told(*pair, replace(CRITERIA, demand=demand(effort=0)))
    assert reason == "it does not pay"
    assert "never pays" in sentence(decision, replace(CRITERIA, demand=demand(effort=0)))


def test_without_capacities_no_saving_can_be_told() -> None:
    criteria = replace(CRITERIA, demand=demand())
    base, other = sized((490, 510), (4_000, 4_100))
    assert told(base, other, criteria)[1] == "it pays"
    assert told(base, replace(other, capacity=None), criteria)[1] == "capacity unknown"


def test_a_saving_that_fails_leaves_the_objective_open_where_it_is_unclear() -> None:
    unclear = service("base", p99_ms=25, own_cpu_ms=2, database_ms=0.5, capacity=(500, 510))
    other = service("other", p99_ms=12, own_cpu_ms=1, database_ms=0.5, capacity=(510, 520))
    criteria = replace(CRITERIA, demand=demand(effort=1e6))
    assert told(unclear, other, criteria)[1] == "objective unclear"
    assert told(replace(BASE, capacity=unclear.capacity), other, criteria)[1] == "it does not pay"


def test_an_unclear_candidate_is_not_justified_by_what_it_saves() -> None:
    base, other = sized((490, 510), (4_000, 4_100))
    criteria = replace(CRITERIA, demand=demand())
    assert told(base, other, criteria)[1] == "it pays"
    unclear = service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5)
    unclear = replace(unclear, capacity=other.capacity)
    assert told(base, unclear, criteria)[1] == "objective unclear"
