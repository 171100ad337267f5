"""Each rule of the verdict, with a case on either side of it."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.constructed import CRITERIA, demand, service, with_database_of
from decision.verdict import BASE, CPU_BOUND, CPU_FAST, FASTER, MISSING, WAITING, WAITING_FAST, told
from runfair.decision.breakdown import bound
from runfair.decision.rules import decide
from runfair.decision.sentence import account, most, sentence, standing
from runfair.decision.tail import tail


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


def test_a_gain_beyond_the_bound_is_not_the_same_work() -> None:
    baseline = service("base", p99_ms=30, own_cpu_ms=1, database_ms=8)
    assert told(baseline, service("same", p99_ms=20, own_cpu_ms=0.1, database_ms=8))[1] == (
        "it meets what the baseline misses"
    )
    assert told(baseline, service("less", p99_ms=20, own_cpu_ms=0.1, database_ms=4))[1] == (
        "not the same work"
    )


def test_queries_at_the_same_time_may_explain_a_gain_beyond_the_bound() -> None:
    """Four queries at once, of 2 ms in the baseline and of 1 ms in the candidate."""
    baseline = service("base", p99_ms=30, own_cpu_ms=1, database_ms=8)
    less = service("less", p99_ms=20, own_cpu_ms=0.1, database_ms=4)
    decision = decide(CRITERIA, baseline, [less])[0]
    assert sentence(decision, CRITERIA).startswith(
        "Cannot be told: less needs less time than the database needs for the queries of base one "
        "after another, so the two services do different work, or requests make several queries "
        "at the same time."
    )


def test_a_gain_within_the_bound_of_concurrent_queries_is_possible() -> None:
    """Of four queries of 2 ms at once, a request waits for 2 ms and not for 8 ms."""
    baseline = service("base", p99_ms=30, own_cpu_ms=1, database_ms=8)
    at_once = with_database_of(baseline, least_ms=2)
    less = service("less", p99_ms=20, own_cpu_ms=0.1, database_ms=4)
    assert told(at_once, less)[1] == "it meets what the baseline misses"
    least = service("least", p99_ms=20, own_cpu_ms=0.1, database_ms=0.5)
    decision, reason = told(at_once, least)
    assert reason == "not the same work"
    assert sentence(decision, CRITERIA).startswith(
        "Cannot be told: least needs less time than the database needs for the queries of base, "
        "even if these overlap as much as possible, so the two services do different work. "
    )


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
        "the objective's percentile falls on a failed request; this percentile therefore counts as "
        "infinitely long" in doubt
        for doubt in decision.doubts
    )
    assert "∞" in standing(decision.baseline)


def test_gains_too_small_to_have() -> None:
    slightly = service("other", p99_ms=17.5, own_cpu_ms=1.95, database_ms=0.5)
    assert told(BASE, slightly)[1] == "too small a gain"
    assert told(BASE, slightly, replace(CRITERIA, least_gain=1.0))[1] == "no saving stated"
    cheaper = service("other", p99_ms=18, own_cpu_ms=1.5, database_ms=0.5)
    decision, reason = told(BASE, cheaper)
    assert reason == "no saving stated"
    assert not decision.gain.is_shown(CRITERIA.noise_floor)
    assert "1.3 times cheaper in CPU" in sentence(decision, CRITERIA)


def test_a_doubt_of_unknown_size_may_hide_a_gain() -> None:
    """The candidate may in truth be much faster than measured, but the baseline may not be
    slower."""
    equal = service("other", p99_ms=18.1, own_cpu_ms=2.1, database_ms=0.5)
    longer = replace(equal, state="flagged", open_sides=(True, False))
    assert told(BASE, longer)[1] == "gain unclear"
    baseline = replace(BASE, state="flagged", open_sides=(True, False))
    assert told(baseline, equal)[1] == "too small a gain"


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


def test_queries_at_the_same_time_are_not_time_elsewhere() -> None:
    """Eight queries of 2 ms at once: 25% of 8 ms, though their sum is twice the latency."""
    base = service("base", p99_ms=18, own_cpu_ms=4, database_ms=16)
    other = service("other", p99_ms=12, own_cpu_ms=2, database_ms=16)
    overlapping = with_database_of(base, least_ms=2, mean_ms=8)
    decision, reason = told(overlapping, with_database_of(other, least_ms=2, mean_ms=6))
    assert (reason, decision.remedies) == ("no saving stated", ())
    mostly = with_database_of(base, least_ms=5, mean_ms=8)
    decision, reason = told(mostly, with_database_of(other, least_ms=5, mean_ms=6))
    assert (reason, decision.remedies[0]) == ("the time is elsewhere", "the query")
    said = sentence(decision, CRITERIA)
    assert "requests spend at least 62% of their time in the database" in said


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
        "Not justified: both services meet p99 < 25 ms, and requests spend 71% of their time in "
        "the database. First look at the query, its index, a cache and the pool."
    )
    assert account(decision.split).startswith("a request takes 2.4")
    assert "own CPU 0.41 · run queue 0.06 · database 1.7" in account(decision.split)
    assert most(bound(decision.split)) == (
        "if the service's own CPU time were zero, a request would on average be 1.2 times faster; "
        "if the request then waited only for the database, it would be 1.4 times faster"
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


def test_a_gain_is_named_only_if_it_is_shown_and_is_never_rounded_to_1() -> None:
    base = service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5, spread=0.001)
    cheaper = service("other", p99_ms=17.6, own_cpu_ms=1.5, database_ms=0.5, spread=0.001)
    said = sentence(told(base, cheaper)[0], CRITERIA)
    assert "other is 1.02 times faster and 1.3 times cheaper in CPU, but" in said
    noisy = replace(CRITERIA, noise_floor=0.05)
    said = sentence(told(base, cheaper, noisy)[0], noisy)
    assert "other is 1.3 times cheaper in CPU, but" in said
    waiting = service("base", p99_ms=18, own_cpu_ms=0.04, database_ms=2, other_ms=0)
    assert "would on average be 1.02 times faster" in most(bound(told(waiting, cheaper)[0].split))


def test_a_candidate_that_is_worse_is_not_said_to_be_better() -> None:
    worse = service("other", p99_ms=23, own_cpu_ms=4, database_ms=0.5)
    decision, reason = told(BASE, worse)
    assert reason == "too small a gain"
    assert sentence(decision, CRITERIA).startswith(
        "Not justified: other is slower than base, and needs more CPU time. "
    )
    noisy = replace(CRITERIA, noise_floor=0.5)
    assert "is slower" not in sentence(told(BASE, worse, noisy)[0], noisy)
