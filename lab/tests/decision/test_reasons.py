"""Every reason of a verdict has a case that leads to it, an outcome, and words."""

from dataclasses import replace
from typing import get_args

import pytest

from decision.constructed import CRITERIA, demand, service
from runfair.decision.rules import OUTCOMES, Criteria, decide
from runfair.decision.sentence import sentence
from runfair.decision.service_cost import ServiceCost
from runfair.formats.decision import Outcome, Reason


def costing(p99_ms: float, own_cpu_ms: float = 2, database_ms: float = 0.5) -> ServiceCost:
    name = f"serving in {p99_ms:g} ms"
    return service(name, p99_ms=p99_ms, own_cpu_ms=own_cpu_ms, database_ms=database_ms)


def serving(rate: float) -> ServiceCost:
    name = f"serving {rate:g}/s"
    return service(name, p99_ms=18, own_cpu_ms=2, database_ms=0.5, capacity=(rate, rate * 1.04))


def scattered(name: str) -> ServiceCost:
    return service(name, p99_ms=16, own_cpu_ms=2, database_ms=0.5, spread=0.2)


BAD, GOOD, BETTER, UNCLEAR = costing(40), costing(18), costing(12, 1), costing(25)
HOPELESS = service("waiting", p99_ms=40, own_cpu_ms=1, database_ms=8, database_p99_ms=30)
PAYING = replace(CRITERIA, demand=demand())

CASES: dict[Reason, tuple[Outcome, ServiceCost, ServiceCost, Criteria]] = {
    "void figures": ("cannot be told", replace(BAD, state="void"), BETTER, CRITERIA),
    "too few executions": (
        "cannot be told",
        BAD,
        replace(BETTER, executions=BETTER.executions[:4]),
        CRITERIA,
    ),
    "not the same work": ("cannot be told", costing(18, 1, 8), costing(12, 1, 2), CRITERIA),
    "no runtime could meet it": ("not justified", HOPELESS, costing(31, 0.1, 8), CRITERIA),
    "the candidate misses it": ("not justified", GOOD, costing(30, 1), CRITERIA),
    "it meets what the baseline misses": ("justified", BAD, BETTER, CRITERIA),
    "within the noise": (
        "not justified",
        costing(26),
        costing(24),
        replace(CRITERIA, noise_floor=0.2),
    ),
    "it pays": ("justified", serving(300), serving(3_000), PAYING),
    "it does not pay": (
        "not justified",
        serving(300),
        serving(400),
        replace(CRITERIA, demand=demand(effort=100_000)),
    ),
    "capacity unknown": ("cannot be told", serving(300), BETTER, PAYING),
    "payback unclear": (
        "cannot be told",
        serving(300),
        serving(360),
        replace(CRITERIA, demand=demand(effort=9_000)),
    ),
    "too small a gain": ("not justified", GOOD, costing(17.8), CRITERIA),
    "objective unclear": ("cannot be told", GOOD, costing(25, 1), CRITERIA),
    "the time is elsewhere": ("not justified", costing(18, 1, 8), costing(12, 0.5, 8), CRITERIA),
    "room to spare": ("not justified", costing(9), costing(3, 0.5), CRITERIA),
    "gain unclear": ("not justified", scattered("one"), scattered("other"), CRITERIA),
    "no saving stated": ("not justified", GOOD, BETTER, CRITERIA),
}


def test_no_reason_is_without_a_case_or_an_outcome() -> None:
    assert set(CASES) == set(OUTCOMES) == set(get_args(Reason))


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_can_be_reached(reason: Reason) -> None:
    outcome, baseline, candidate, criteria = CASES[reason]
    decision = decide(criteria, baseline, [candidate])[0]
    assert (decision.reason, decision.outcome) == (reason, outcome)


def test_every_reason_has_words_of_its_own() -> None:
    said = set()
    for _, baseline, candidate, criteria in CASES.values():
        decision = decide(criteria, baseline, [candidate])[0]
        said.add(sentence(decision, criteria))
        if decision.outcome == "cannot be told":
            assert sentence(decision, criteria).count(".") >= 2, "it says what to measure"
    assert len(said) == len(CASES)
