"""Verdicts on figures of which only bounds are known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from decision.constructed import CRITERIA, service
from decision.verdict import CPU_BOUND, CPU_FAST, told
from runfair.decision.sentence import sentence, standing
from runfair.decision.service_cost import ServiceCost
from runfair.statistics.headline import headline
from runfair.statistics.objective import Limits


def bounded(
    one: ServiceCost, low_ms: float | None, high_ms: float | None, **changes: Any
) -> ServiceCost:
    low, high = (None if end is None else end * 1e6 for end in (low_ms, high_ms))
    return replace(one, state="flagged", bounds_ns=(low, high), **changes)


def cpu_within(one: ServiceCost, low: float | None, high: float | None) -> ServiceCost:
    """The CPU time of each execution has these limits, as multiples of its measured value."""
    executions = tuple(
        replace(
            each,
            cpu_limits_ns=(
                None if low is None else each.own_cpu_ns * low,
                None if high is None else each.own_cpu_ns * high,
            ),
        )
        for each in one.executions
    )
    return replace(one, executions=executions)


def test_a_doubt_counts_only_if_it_could_change_the_answer() -> None:
    """All that is known of either is a bound, and both answers stand."""
    missing, meeting = bounded(CPU_BOUND, 30, None), bounded(CPU_FAST, None, 20)
    decision, reason = told(missing, meeting)
    assert (decision.outcome, reason) == ("justified", "it meets what the baseline misses")
    assert standing(decision.baseline) == "≥ 30.0 ms misses it"
    assert standing(decision.candidate) == "≤ 20.0 ms meets it"
    for straddling in (bounded(CPU_FAST, None, 26), bounded(CPU_FAST, 10, None)):
        assert told(missing, straddling)[1] == "objective unclear"


def test_a_doubt_of_unknown_size_opens_a_side() -> None:
    """Other processes may have made the whole tail of a service that seems to miss it."""
    longer = replace(CPU_BOUND, state="flagged", open_sides=(True, False))
    decision, reason = told(longer, CPU_FAST)
    assert reason == "objective unclear"
    assert standing(decision.baseline).startswith("≤ ")
    assert standing(decision.baseline).endswith(" ms unclear")
    assert decision.gain.percentile is not None


def test_room_to_spare_comes_first_and_then_what_a_change_would_save() -> None:
    baseline = bounded(service("fastapi", p99_ms=2, own_cpu_ms=2, database_ms=0.5), None, 2.9)
    cheaper = bounded(service("go", p99_ms=1, own_cpu_ms=0.7, database_ms=0.5), None, 1.1)
    decision, reason = told(baseline, cheaper)
    assert (decision.outcome, reason) == ("not justified", "room to spare")
    said = sentence(decision, CRITERIA)
    assert said.startswith(
        "Latency is no reason for a rewrite: fastapi meets p99 < 25 ms by a wide margin "
        "(≤ 2.90 ms). go would save 65% of fastapi's CPU time ["
    )
    dearer = bounded(service("java", p99_ms=1, own_cpu_ms=3, database_ms=0.5), None, 1.1)
    said = sentence(told(baseline, dearer)[0], CRITERIA)
    assert "java would need 49% more CPU time than fastapi [" in said
    assert sentence(told(baseline, cpu_within(cheaper, 0.9, 1.1))[0], CRITERIA).endswith(
        "go would save 65% of fastapi's CPU time [61%, 69%]."
    )
    assert sentence(told(baseline, cpu_within(cheaper, None, 1.1))[0], CRITERIA).endswith(
        "go would save at least 61% of fastapi's CPU time."
    )
    assert sentence(told(baseline, cpu_within(dearer, 0.9, None))[0], CRITERIA).endswith(
        "java would need at least 33% more CPU time than fastapi."
    )
    assert sentence(told(baseline, cpu_within(cheaper, 0.9, None))[0], CRITERIA).endswith(
        "It is unclear whether go needs more or less CPU time than fastapi."
    )
    rated = replace(CRITERIA, rate_per_s=400)
    # 1.3 ms of 2 ms at 400 requests/s are half a processor.
    assert sentence(told(baseline, cpu_within(cheaper, 0.9, 1.1))[0], rated).endswith(
        "go would save 65% of fastapi's CPU time [61%, 69%]: 0.52 CPUs at 400/s."
    )
    # The same CPU time, most of which does not delay requests.
    brief = tuple(replace(each, mean_latency_ns=1e6) for each in baseline.executions)
    collecting = replace(baseline, executions=brief)
    assert sentence(told(collecting, cpu_within(cheaper, 0.9, 1.1))[0], rated).endswith(
        ": 0.52 CPUs at 400/s."
    )
    assert "more CPU time than fastapi [" in sentence(told(baseline, dearer)[0], rated)
    assert sentence(told(baseline, dearer)[0], rated).endswith(": 0.4 CPUs at 400/s.")
    unknown = replace(cheaper, cpu_void=True)
    assert sentence(told(baseline, unknown)[0], CRITERIA).endswith("(≤ 2.90 ms).")
    # A rewrite for the CPU time could miss the objective that the baseline meets.
    doubtful = bounded(service("go", p99_ms=30, own_cpu_ms=0.7, database_ms=0.5), None, 30)
    assert sentence(told(baseline, doubtful)[0], CRITERIA).endswith(
        "It is unclear whether go meets p99 < 25 ms."
    )
    tight = bounded(service("fastapi", p99_ms=2, own_cpu_ms=2, database_ms=0.5), None, 12.6)
    assert told(tight, cheaper)[1] != "room to spare"


def test_what_cannot_be_told_names_the_measurement_that_would_tell() -> None:
    criteria = replace(CRITERIA, measure="./runfair run order --profile full (about 50 min)")
    decision, reason = told(CPU_BOUND, bounded(CPU_FAST, None, 26), criteria)
    assert reason == "objective unclear"
    assert sentence(decision, criteria).endswith(
        "Measure with ./runfair run order --profile full (about 50 min)."
    )


def test_a_doubt_about_the_objective_names_what_removes_it() -> None:
    """A quieter machine does not help against a network that is full."""
    criteria = replace(CRITERIA, measure="./runfair run x", again="./runfair run order")
    doubt = ("use a faster network between the hosts, or a lower rate",)
    longer = replace(CPU_BOUND, state="flagged", open_sides=(True, False), advice=doubt)
    decision, reason = told(longer, replace(CPU_FAST, advice=("rest",)), criteria)
    assert reason == "objective unclear"
    assert sentence(decision, criteria).endswith(
        "To remove the doubts: use a faster network between the hosts, or a lower rate. Then "
        "measure again with ./runfair run order."
    )
    for unsteady in ("measure again with a longer profile (`--profile`)", "have more measured"):
        decision = told(replace(longer, advice=(unsteady,)), CPU_FAST, criteria)[0]
        assert sentence(decision, criteria).endswith(f"To remove the doubts: {unsteady}.")
    wide = service("wide", p99_ms=25, own_cpu_ms=1, database_ms=0.5)
    assert sentence(told(CPU_BOUND, wide, criteria)[0], criteria).endswith(
        "Measure with ./runfair run x."
    )


@pytest.mark.parametrize("times", [1.5, 1 / 1.5, 1.05, 1 / 1.05])
def test_decisions_are_right_where_the_truth_is_known(times: float) -> None:
    """Six executions that spread by at most 17%, each longer by up to 10% for a known doubt:
    at 1.5 times from the limit the answers are right, and at 1.05 times at most 2.5% are wrong."""
    random = np.random.default_rng(7)
    repetitions = 2_000
    truth_ms = 25 * times
    right = wrong = 0
    for _ in range(repetitions):
        true = truth_ms * np.exp(0.17 * (random.random(6) - 0.5))
        measured = true * (1 + 0.1 * random.random(6))
        low, high = headline(measured / 1.1).low, headline(measured).high
        found = CRITERIA.objective.met_by(
            Limits(None if low is None else low * 1e6, None if high is None else high * 1e6)
        )
        meets = "yes" if times < 1 else "no"
        right += found == meets
        wrong += found not in (meets, "unclear")
    if times in (1.5, 1 / 1.5):
        assert right >= 0.99 * repetitions and wrong == 0
    assert wrong <= 0.025 * repetitions


def doubted(costs: ServiceCost, low: float | None, high: float | None) -> ServiceCost:
    """With a mean latency that lies between these multiples of the measured one, and a percentile
    that is but bounded."""
    executions = tuple(
        replace(
            one,
            mean_limits_ns=(
                None if low is None else low * one.mean_latency_ns,
                None if high is None else high * one.mean_latency_ns,
            ),
        )
        for one in costs.executions
    )
    return replace(costs, executions=executions, state="flagged", bounds_ns=(None, 20e6))


@pytest.mark.parametrize(
    ("theirs", "ours", "caught"),
    [
        (None, (None, 1.0), True),  # without the delay, it is even faster
        (None, (0.5, 1.2), True),
        (None, (0.5, 2.5), False),  # it may have taken as long as the database
        (None, (0.5, None), False),
        ((0.9, 1.0), None, True),
        ((0.5, 1.0), None, False),
        ((None, 1.0), None, False),
    ],
)
def test_bounds_show_the_impossible_if_their_nearer_end_does(
    theirs: tuple[float | None, float | None] | None,
    ours: tuple[float | None, float | None] | None,
    caught: bool,
) -> None:
    baseline = service("base", p99_ms=30, own_cpu_ms=1, database_ms=8)
    liar = service("less", p99_ms=20, own_cpu_ms=0.1, database_ms=4)
    honest = service("same", p99_ms=20, own_cpu_ms=0.1, database_ms=8)
    for candidate in (liar, honest):
        first = baseline if theirs is None else doubted(baseline, *theirs)
        second = candidate if ours is None else doubted(candidate, *ours)
        found = told(first, second)[1] == "not the same work"
        assert found is (caught and candidate is liar)
