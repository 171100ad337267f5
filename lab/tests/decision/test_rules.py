"""Each rule of the verdict, with a case on either side of it."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.constructed import CRITERIA, demand, service
from runfair.decision.rules import Criteria, Decision, decide
from runfair.decision.sentence import account, most, sentence, standing
from runfair.decision.service_cost import ServiceCost
from runfair.decision.tail import tail
from runfair.formats.decision import Reason
from runfair.statistics.headline import headline
from runfair.statistics.objective import Limits


def told(
    baseline: ServiceCost, candidate: ServiceCost, criteria: Criteria = CRITERIA
) -> tuple[Decision, Reason]:
    decision = decide(criteria, baseline, [candidate])[0]
    said = sentence(decision, criteria)
    if decision.reason == "room to spare":
        assert said.startswith("Latency is no reason for a rewrite: ")
    else:
        assert said.startswith(decision.outcome.capitalize() + ": ")
    assert said.endswith(".")
    return decision, decision.reason


CPU_BOUND = service("slow", p99_ms=40, own_cpu_ms=8, run_queue_ms=1, database_ms=0.9)
CPU_FAST = service("fast", p99_ms=9, own_cpu_ms=0.8, run_queue_ms=0.1, database_ms=0.9)
WAITING = service("slow", p99_ms=40, own_cpu_ms=1, database_ms=8, other_ms=1, database_p99_ms=31)
WAITING_FAST = service("fast", p99_ms=32, own_cpu_ms=0.1, database_ms=8, other_ms=1)


def test_two_services_come_to_opposite_conclusions() -> None:
    """Both miss the objective, and the candidate takes a tenth of the CPU time in both."""
    computing, waiting = told(CPU_BOUND, CPU_FAST)[0], told(WAITING, WAITING_FAST)[0]
    assert computing.outcome == "justified"
    assert computing.split.share("own CPU") > 0.7
    assert waiting.outcome == "not justified"
    assert waiting.reason == "no runtime could meet it"
    assert waiting.split.share("database") == pytest.approx(0.8, abs=0.01)
    assert waiting.remedies[:2] == ("the query", "its index")
    assert computing.gain.mean_latency is not None and waiting.gain.mean_latency is not None
    assert computing.gain.mean_latency.value > 3
    assert waiting.gain.mean_latency.value < 1.2


BASE = service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5)
FASTER = service("other", p99_ms=12, own_cpu_ms=1, database_ms=0.5)
MISSING = service("base", p99_ms=30, own_cpu_ms=2, database_ms=0.5)


def test_void_figures_and_few_executions_tell_nothing() -> None:
    assert told(CPU_BOUND, CPU_FAST)[1] == "it meets what the baseline misses"
    for pair in (
        (replace(CPU_BOUND, state="void"), CPU_FAST),
        (CPU_BOUND, replace(CPU_FAST, state="void")),
    ):
        assert told(*pair)[1] == "void figures"
    six, five = (replace(CPU_FAST, executions=CPU_FAST.executions[:n]) for n in (6, 5))
    assert told(CPU_BOUND, six)[1] == "it meets what the baseline misses"
    assert told(CPU_BOUND, five)[1] == "too few executions"
    assert told(replace(CPU_BOUND, executions=CPU_BOUND.executions[4:]), CPU_FAST)[1] != (
        "too few executions"
    )
    apart = replace(CPU_BOUND, executions=CPU_BOUND.executions[6:])
    assert told(apart, six)[1] == "too few executions"


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


def test_room_to_spare_comes_first_and_then_what_a_change_would_save() -> None:
    baseline = bounded(service("fastapi", p99_ms=2, own_cpu_ms=2, database_ms=0.5), None, 2.9)
    cheaper = bounded(service("go", p99_ms=1, own_cpu_ms=0.7, database_ms=0.5), None, 1.1)
    decision, reason = told(baseline, cheaper)
    assert (decision.outcome, reason) == ("not justified", "room to spare")
    said = sentence(decision, CRITERIA)
    assert said.startswith(
        "Latency is no reason for a rewrite: fastapi meets p99 < 25 ms with room to spare "
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
    assert "more CPU time than fastapi [" in sentence(told(baseline, dearer)[0], rated)
    assert sentence(told(baseline, dearer)[0], rated).endswith(": 0.4 CPUs at 400/s.")
    unknown = replace(cheaper, cpu_void=True)
    assert sentence(told(baseline, unknown)[0], CRITERIA).endswith("(≤ 2.90 ms).")
    tight = bounded(service("fastapi", p99_ms=2, own_cpu_ms=2, database_ms=0.5), None, 12.6)
    assert told(tight, cheaper)[1] != "room to spare"


def test_what_cannot_be_told_names_the_measurement_that_would_tell() -> None:
    criteria = replace(CRITERIA, measure="./runfair run order --profile full (about 50 min)")
    decision, reason = told(CPU_BOUND, bounded(CPU_FAST, None, 26), criteria)
    assert reason == "objective unclear"
    assert sentence(decision, criteria).endswith(
        "Measure with ./runfair run order --profile full (about 50 min)."
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


def test_a_gain_beyond_the_bound_is_not_the_same_work() -> None:
    baseline = service("base", p99_ms=30, own_cpu_ms=1, database_ms=8)
    assert told(baseline, service("same", p99_ms=20, own_cpu_ms=0.1, database_ms=8))[1] == (
        "it meets what the baseline misses"
    )
    assert told(baseline, service("less", p99_ms=20, own_cpu_ms=0.1, database_ms=4))[1] == (
        "not the same work"
    )


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
        (None, (None, 1.0), True),  # whoever was lengthened is faster all the more
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


def test_a_candidate_that_does_the_impossible_did_not_do_the_same_work() -> None:
    quick = service("fast", p99_ms=20, own_cpu_ms=0.1, database_ms=8, other_ms=1)
    assert told(WAITING, quick)[1] == "not the same work"


def test_only_the_databases_own_percentile_makes_it_hopeless() -> None:
    within, beyond, unknown = (
        replace(
            WAITING,
            executions=tuple(
                replace(one, database_percentile_ns=value) for one in WAITING.executions
            ),
        )
        for value in (24e6, 26e6, None)
    )
    assert told(beyond, WAITING_FAST)[1] == "no runtime could meet it"
    assert told(within, WAITING_FAST)[1] == "the candidate misses it"
    assert told(unknown, WAITING_FAST)[1] == "the candidate misses it"


def test_a_candidate_that_misses_is_not_justified_however_cheap() -> None:
    criteria = replace(CRITERIA, demand=demand())
    cheap = service("other", p99_ms=26, own_cpu_ms=0.1, database_ms=0.5, capacity=(5_000, 5_100))
    base = service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5, capacity=(500, 510))
    assert told(base, cheap, criteria)[1] == "the candidate misses it"
    meeting = service("other", p99_ms=24, own_cpu_ms=0.1, database_ms=0.5, capacity=(5_000, 5_100))
    assert told(base, meeting, criteria)[1] == "it pays"


def test_crossing_the_limit_within_the_noise_is_no_gain() -> None:
    above = service("base", p99_ms=25.3, own_cpu_ms=1, database_ms=0.5, spread=0.001)
    below = service("other", p99_ms=24.8, own_cpu_ms=1, database_ms=0.5, spread=0.001)
    assert told(above, below)[1] == "it meets what the baseline misses"
    assert told(above, below, replace(CRITERIA, noise_floor=0.05))[1] == "within the noise"


def test_a_baseline_that_never_answers_is_beyond_doubt() -> None:
    stuck = replace(
        MISSING, executions=tuple(replace(one, percentile_ns=inf) for one in MISSING.executions)
    )
    decision, reason = told(stuck, FASTER)
    assert reason == "it meets what the baseline misses"
    assert any(
        "the objective's percentile has no finite value" in doubt for doubt in decision.doubts
    )
    assert "∞" in standing(decision.baseline)


BEYOND = "the service is beyond its capacity, because it achieved only 83.3% of the offered rate"


def beyond(one: ServiceCost) -> ServiceCost:
    """Its latencies grew as long as the load lasted: void, and certainly no service."""
    return replace(one, state="void", unserved=BEYOND)


def test_a_baseline_beyond_its_capacity_misses_the_objective() -> None:
    decision, reason = told(beyond(BASE), FASTER)
    assert (reason, decision.outcome) == ("it meets what the baseline misses", "justified")
    assert (decision.baseline.meets, decision.gain.percentile) == ("no", None)
    assert decision.gain.pairs == 10
    assert sentence(decision, CRITERIA) == (
        f"Justified: other meets p99 < 25 ms and base does not: {BEYOND}."
    )
    assert standing(decision.baseline) == f"misses it: {BEYOND}"


def test_two_services_beyond_their_capacity_are_no_reason_for_a_rewrite() -> None:
    for base, words in ((MISSING, "misses p99 < 25 ms too"), (BASE, "misses p99 < 25 ms")):
        decision, reason = told(base, beyond(FASTER))
        assert (reason, decision.outcome) == ("the candidate misses it", "not justified")
        assert f"other {words}: {BEYOND}." in sentence(decision, CRITERIA)
    decision, reason = told(beyond(CPU_BOUND), beyond(FASTER))
    assert reason == "the candidate misses it"
    # Where its time goes is not known: nothing can be advised.
    assert sentence(decision, CRITERIA).endswith(f"{BEYOND}.")
    assert decision.remedies == ()


def test_what_else_is_amiss_beside_a_service_beyond_its_capacity_still_counts() -> None:
    for other, reason in (
        (replace(FASTER, state="void"), "void figures"),
        (replace(FASTER, executions=FASTER.executions[:4]), "too few executions"),
        (service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5), "objective unclear"),
    ):
        assert told(beyond(BASE), other)[1] == reason
    assert told(replace(BASE, state="void"), beyond(FASTER))[1] == "void figures"


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


def test_gains_too_small_to_have() -> None:
    slightly = service("other", p99_ms=17.5, own_cpu_ms=1.95, database_ms=0.5)
    assert told(BASE, slightly)[1] == "too small a gain"
    assert told(BASE, slightly, replace(CRITERIA, least_gain=1.0))[1] == "no saving stated"
    cheaper = service("other", p99_ms=18, own_cpu_ms=1.5, database_ms=0.5)
    decision, reason = told(BASE, cheaper)
    assert reason == "no saving stated"
    assert not decision.gain.is_shown(CRITERIA.noise_floor)
    assert "1.3 times cheaper in CPU" in sentence(decision, CRITERIA)


def test_a_machine_too_noisy_for_the_gain_that_is_worth_having() -> None:
    by_a_fifth = service("other", p99_ms=15, own_cpu_ms=1.7, database_ms=0.5)
    assert told(BASE, by_a_fifth)[1] == "no saving stated"
    assert told(BASE, by_a_fifth, replace(CRITERIA, noise_floor=0.3))[1] == "too small a gain"


def test_an_unclear_objective_asks_for_more() -> None:
    unclear = service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5)
    decision, reason = told(MISSING, unclear)
    assert reason == "objective unclear"
    assert "whether other meets p99 < 25 ms" in sentence(decision, CRITERIA)
    assert told(unclear, FASTER)[1] == "objective unclear"


def test_an_unclear_candidate_is_not_justified_by_what_it_saves() -> None:
    base, other = sized((490, 510), (4_000, 4_100))
    criteria = replace(CRITERIA, demand=demand())
    assert told(base, other, criteria)[1] == "it pays"
    unclear = service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5)
    unclear = replace(unclear, capacity=other.capacity)
    assert told(base, unclear, criteria)[1] == "objective unclear"


def test_a_small_gain_may_still_cross_the_limit() -> None:
    """What would be too small a gain elsewhere may be just what the objective lacks."""
    just_above = service("base", p99_ms=25.8, own_cpu_ms=1, database_ms=0.5)
    at_the_limit = service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5)
    decision, reason = told(just_above, at_the_limit)
    assert decision.gain.is_below(CRITERIA.smallest_gain)
    assert reason == "objective unclear"
    meeting = service("base", p99_ms=23, own_cpu_ms=1, database_ms=0.5)
    assert told(meeting, at_the_limit)[1] == "too small a gain"


def test_time_elsewhere_is_not_justified_where_both_meet_it() -> None:
    for database_ms, reason in ((2.5, "the time is elsewhere"), (1.5, "no saving stated")):
        base = service("base", p99_ms=18, own_cpu_ms=2, database_ms=database_ms)
        other = service("other", p99_ms=12, own_cpu_ms=1, database_ms=database_ms)
        assert told(base, other)[1] == reason


def test_a_wide_spread_is_unclear_and_no_absence_of_a_gain() -> None:
    base, other = (
        service(name, p99_ms=16, own_cpu_ms=2, database_ms=0.5, spread=0.2)
        for name in ("base", "other")
    )
    assert told(base, other)[1] == "gain unclear"


def test_the_designs_example_reads_as_designed() -> None:
    base = service(
        "fastapi", p99_ms=18.2, own_cpu_ms=0.41, run_queue_ms=0.06, database_ms=1.71, other_ms=0.22
    )
    other = service("go-nethttp", p99_ms=15.9, own_cpu_ms=0.1, database_ms=1.71, other_ms=0.2)
    decision, _ = told(base, other)
    assert sentence(decision, CRITERIA) == (
        "Not justified: both meet p99 < 25 ms, and 71% of the time is spent in the database. "
        "First look at the query, its index, a cache and the pool."
    )
    assert account(decision.split).startswith("a mean request's 2.4")
    assert "own CPU 0.41 · run queue 0.06 · database 1.7" in account(decision.split)
    assert most(decision.bound) == (
        "any runtime could gain at most 1.2 times, if the service's own CPU time were zero, and "
        "at most 1.4 times if all other waits were also waits for the service's own CPU time"
    )
    assert standing(decision.baseline).endswith("] meets it")


def test_what_dominates_the_tail_comes_first_among_the_remedies() -> None:
    pause = np.zeros(10_000)
    pause[::100] = 5e7
    slowest = tail(2e6 + pause, {"pause": pause, "database": np.full(10_000, 1.7e6)}, 2e6)
    decision = decide(CRITERIA, WAITING, [WAITING_FAST], slowest)[0]
    assert decision.remedies[:2] == ("the heap and the collector", "the query")


def test_holm_counts_every_candidate() -> None:
    others = [
        service(f"other{i}", p99_ms=17.9, own_cpu_ms=2, database_ms=0.5, spread=0.01)
        for i in range(8)
    ]
    alone = decide(CRITERIA, BASE, others[:1])[0].gain.p
    among = decide(CRITERIA, BASE, others)[0].gain.p
    assert alone is not None and among is not None and among > alone


@given(
    p99=st.tuples(*[st.floats(1, 60)] * 2),
    own=st.tuples(*[st.floats(0.05, 20)] * 2),
    database=st.tuples(*[st.floats(0, 20)] * 2),
    spread=st.floats(0, 0.3),
    executions=st.integers(1, 12),
    stated=st.booleans(),
    capacity=st.none() | st.tuples(st.floats(10, 1e3), st.floats(1e3, 1e5)),
)
def test_justified_always_means_that_the_objective_is_met(
    p99: tuple[float, ...],
    own: tuple[float, ...],
    database: tuple[float, ...],
    spread: float,
    executions: int,
    stated: bool,
    capacity: tuple[float, float] | None,
) -> None:
    base, other = (
        service(
            name,
            p99_ms=p99[i],
            own_cpu_ms=own[i],
            database_ms=database[i],
            spread=spread,
            executions=executions,
            capacity=capacity,
        )
        for i, name in enumerate(("base", "other"))
    )
    criteria = replace(CRITERIA, demand=demand()) if stated else CRITERIA
    decision, _ = told(base, other, criteria)
    if decision.outcome == "justified":
        assert decision.candidate.meets == "yes"
        pays = decision.break_even
        assert decision.baseline.meets == "no" or (
            pays is not None and pays.latest_months <= demand().payback_months
        )
