"""Bounds hold the truth, and are not much wider than what is not known.

What is needed is the width of an oracle's interval: over the same executions by the same
statistics, but from limits that somebody would give who knows what the doubt did to each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from runfair.fairness.bounds import bounds, ends
from runfair.formats.finding import Effect, FigureName, Finding
from runfair.statistics.objective import Limits, Meets, Objective
from simulated.doubts import (
    ITERATION_NS,
    Simulation,
    cell_of,
    falling,
    noisy,
    ran,
    served,
    sloping,
    wandering,
)

EXECUTIONS = 6
EFFECTS: dict[str, Effect] = {
    "errors": "either",
    "generator_delay": "longer",
    "few_requests": "either",
    "foreign_time": "longer",
    "warm_up": "either",
}
LATE, FAILING, DELAYED, MEMORY, FEW = 0.02, 0.005, 0.02, 20.0, 300


@dataclass(frozen=True)
class Case:
    """`width`: the most, in units of what is needed; None where one side is open."""

    doubts: tuple[str, ...]
    simulation: Simulation
    width: float | None = 1.5

    @property
    def figure(self) -> FigureName:
        return "wall" if {"foreign_time", "warm_up"} & {*self.doubts} else "p99"


def service(*doubts: str, memory: float = 0.0) -> Case:
    few = "few_requests" in doubts
    simulation = served(
        late=LATE if "generator_delay" in doubts else 0,
        failing=FAILING if "errors" in doubts else 0,
        memory=memory,
        count=FEW if few else 1_200,
    )
    return Case(doubts, simulation, None if few else 1.5)


CASES = {
    "late": service("generator_delay"),
    "failures": service("errors"),
    "late and failures": service("generator_delay", "errors"),
    "late, dependent": service("generator_delay", memory=MEMORY),
    # At the edge of what is aimed at: 1.50 in 100 repetitions.
    "failures, dependent": replace(service("errors", memory=MEMORY), width=1.6),
    "late and failures, dependent": service("generator_delay", "errors", memory=MEMORY),
    "too few": service("few_requests"),
    "too few and late": service("few_requests", "generator_delay"),
    "too few and failures": service("few_requests", "errors"),
    "others": Case(("foreign_time",), ran(delayed=DELAYED)),
    "falling": Case(("warm_up",), ran(course=falling), None),
    # The rule gives the range of the levels, where the mean of a few would be known better.
    "wandering": Case(("warm_up",), ran(course=wandering), 2.5),
    "sloping": Case(("warm_up",), ran(course=sloping), None),
    "noisy": Case(("warm_up",), ran(course=noisy), 2.0),
    "others and falling": Case(
        ("foreign_time", "warm_up"), ran(delayed=DELAYED, course=falling), None
    ),
    "others and wandering": Case(
        ("foreign_time", "warm_up"), ran(delayed=DELAYED, course=wandering), 2.5
    ),
}


def doubt(check: str) -> Finding:
    return Finding(
        check=check, severity="fault", cell=None, figures=["all"], text="", effect=EFFECTS[check]
    )


@cache
def truth_of(name: str, simulations: int) -> float:
    """The figure that further executions without the doubt would have, in their middle."""
    case = CASES[name]
    if case.figure == "wall":
        return float(ITERATION_NS)
    random = np.random.default_rng(5)
    return float(np.median([case.simulation(random).truth for _ in range(simulations)]))


def simulated(name: str, repetitions: int) -> tuple[float, float]:
    """How often the truth lay within the bounds, and their median width over what was needed
    (infinite where one side is open)."""
    case, random = CASES[name], np.random.default_rng(11)
    truth, held = truth_of(name, min(400, 5 * repetitions)), 0
    widths, needed = [], []
    for _ in range(repetitions):
        seen = [case.simulation(random) for _ in range(EXECUTIONS)]
        cell = cell_of([one.evidence for one in seen])
        found = bounds(cell, case.figure, [doubt(one) for one in case.doubts])
        low, high = found or (None, None)
        # A cell of the histogram is a thousandth wide.
        held += (low is None or low <= truth) and (high is None or truth <= high * 1.001)
        widths.append(np.inf if low is None or high is None else high - low)
        least, most = ends([one.needed for one in seen], case.figure)
        assert least is not None and most is not None
        needed.append(most - least)
    return held / repetitions, float(np.median(widths) / np.median(needed))


NAMES = pytest.mark.parametrize("name", CASES)


@NAMES
def test_bounds_hold_the_truth(name: str) -> None:
    """94.5% of so few may come as low by chance once in a thousand."""
    assert simulated(name, 20)[0] >= 0.8


@NAMES
@pytest.mark.long
def test_bounds_hold_the_truth_and_are_no_wider_than_needed(name: str) -> None:
    coverage, width = simulated(name, 10_000)
    assert coverage >= 0.945
    most = CASES[name].width
    assert np.isinf(width) if most is None else width <= most


# ------------------------------------------------------------ decisions

SPREAD = 0.17
LIMIT_NS = 25_000_000


def decisions(distance: float, repetitions: int, doubt: float = 0.0) -> dict[Meets, float]:
    """Shares of the answers of six executions that differ by 17% at most, and whose middle is
    `distance` times below the limit. Each was measured longer by up to the share `doubt`, and how
    much at most is known."""
    random = np.random.default_rng(12)
    answers: list[Meets] = []
    while len(answers) < repetitions:
        differ = random.normal(0, SPREAD, EXECUTIONS)
        if differ.std(ddof=1) > SPREAD:
            continue
        true = LIMIT_NS / distance * np.exp(differ)
        measured = true * (1 + doubt * random.random(EXECUTIONS))
        found = ends([(one / (1 + doubt), one) for one in measured], "p99")
        answers.append(Objective(0.99, LIMIT_NS).met_by(Limits(*found)))
    kinds: tuple[Meets, ...] = ("yes", "no", "unclear")
    return {one: answers.count(one) / repetitions for one in kinds}


def test_decisions_are_right_when_the_truth_is_far_from_the_limit() -> None:
    found = decisions(1.5, 10_000)
    assert found["no"] <= 0.01 and found["unclear"] <= 0.05


def test_a_doubt_never_makes_a_decision_wrong() -> None:
    """It makes some unclear: what it may have done is taken from the room that there is."""
    found = decisions(1.5, 10_000, doubt=0.1)
    assert found["no"] <= 0.01 and found["yes"] >= 0.85


@pytest.mark.parametrize("distance", [1.05, 1 / 1.05])
def test_decisions_are_seldom_wrong_when_the_truth_is_near_the_limit(distance: float) -> None:
    found = decisions(distance, 10_000)
    assert found["no" if distance > 1 else "yes"] <= 0.025
