"""Load generators that are late themselves, or say that something was wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evidence.honest_services import FASTIFY, honest_services, on_loads, on_services, service_cell
from fairness.stories import Story
from runfair.fairness.checks.generator_delay import check
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import LoadFinding
from simulated.service_load import Load

CELL = service_cell(FASTIFY)


def late(load: Load) -> Load:
    """A millisecond each, where an answer takes two."""
    return load.sent_late(1_000_000)


def late_for_a_few(load: Load) -> Load:
    """Ten milliseconds for one in fifty requests: no median shows it."""
    requests = load.requests
    lag = np.zeros(len(requests.kind), dtype=np.int64)
    lag[::50] = 10_000_000
    return load.with_requests(sent_ns=requests.sent_ns + lag, done_ns=requests.done_ns + lag)


def starved(load: Load) -> Load:
    found = LoadFinding(
        check="generator_capacity",
        severity="fault",
        figures=[],
        message="its threads were busy for 99% of the time",
        advice="another processor",
    )
    return replace(load, findings=(found,))


def saying(check: str, *figures: str) -> Callable[[Load], Load]:
    """A warning of the generator's own, which flags and does not void."""
    found = LoadFinding(
        check=check, severity="warning", figures=[*figures], message="seen", advice=""
    )
    return lambda load: replace(load, findings=(found,))


def unstamped(load: Load, reads_at_once: bool) -> Load:
    """The kernel stamped no answer, as inside TLS. All answers were read at once, or only when
    requests were due."""
    found = LoadFinding(
        check="unstamped", severity="limitation", figures=[], message="seen", advice=""
    )
    generator = load.result.generator.model_dump() | {"reads_at_once": reads_at_once}
    return replace(load, findings=(found,)).telling(generator=generator)


def withholding(reason: str) -> Story:
    return Story(
        f"a percentile withheld: {reason}",
        on_loads(lambda one: replace(one, withheld=(("p99_9", reason),)), FASTIFY, 1),
        None if "too few" in reason else "fault",
        CELL,
    )


STORIES = (
    Story("late for every request", on_loads(late), "warning", CELL),
    Story("late in one execution alone", on_loads(late, FASTIFY, 1), "warning", CELL),
    Story("late for a few", on_loads(late_for_a_few), "warning", CELL),
    Story("it had no time itself", on_loads(starved, FASTIFY, 1), "fault", CELL),
    Story("it waited for its processor", on_loads(saying("disturbance"), count=1), "warning", CELL),
    Story("it says that requests failed", on_loads(saying("failures")), None),
    Story("it says that the rate was not kept", on_loads(saying("rate")), None),
    Story("of a quantity that is no latency", on_loads(saying("x", "send_lag_ns.p99")), None),
    withholding("the generator's own lateness is 9% of it"),
    # Told of the whole load; whether the steady part has enough is another check's.
    withholding("too few requests: 20,000; p99.9 needs 3,688"),
    Story("no time stamps", on_loads(lambda one: unstamped(one, True)), "limitation", CELL),
    Story(
        "no time stamps in one execution alone",
        on_loads(lambda one: unstamped(one, True), FASTIFY, 1),
        "limitation",
        CELL,
    ),
    # Of a median of 2 ms and as much more.
    Story("late by 6%", on_loads(lambda one: one.sent_late(130_000)), "warning", CELL),
    Story("late by 4%", on_loads(lambda one: one.sent_late(75_000)), None),
    Story("late by ten microseconds", on_loads(lambda one: one.sent_late(10_000)), None),
    Story("on time", on_services(lambda run: run), None),
)


def test_only_the_percentiles_that_it_lengthened_are_named() -> None:
    run = honest_services().with_loads(FASTIFY, late_for_a_few)
    (finding,) = check(run.evidence())
    assert set(finding.figures) == {"p99", "p99_9", "p99_99"}


def test_only_the_percentile_withheld_is_void() -> None:
    def change(load: Load) -> Load:
        return replace(load, withheld=(("p99_9", "its own lateness"),))

    (finding,) = check(honest_services().with_loads(FASTIFY, change).evidence())
    assert finding.figures == ["p99_9"]
    assert "its own lateness" in finding.text


def test_its_own_words_are_told_and_counted() -> None:
    (finding,) = check(honest_services().with_loads(FASTIFY, starved, 3).evidence())
    assert finding.text == (
        "the load generator reports: its threads were busy for 99% of the time (in 6 "
        "executions, the load generator reports 2 more findings of this kind)"
    )


def test_one_fault_is_told_alone() -> None:
    (finding,) = check(honest_services().with_loads(FASTIFY, starved, 1).evidence())
    assert finding.text == ("the load generator reports: its threads were busy for 99% of the time")


def test_what_it_withheld_is_void_and_not_flagged_as_well() -> None:
    def change(load: Load) -> Load:
        return replace(late_for_a_few(load), withheld=(("p99", "its own lateness"),))

    found = list(check(honest_services().with_loads(FASTIFY, change).evidence()))
    assert [(one.severity, set(one.figures)) for one in found] == [
        ("fault", {"p99"}),
        ("warning", {"p99_9", "p99_99"}),
    ]


def test_what_it_flagged_of_itself_is_told_check_by_check() -> None:
    run = honest_services().with_loads(FASTIFY, saying("disturbance"), 3)
    run = run.with_loads(FASTIFY, saying("clock_step", "latency_ns.p99", "latency_ns.max"), 1)
    found = list(check(run.evidence()))
    assert [(one.severity, one.figures, one.text) for one in found] == [
        ("warning", ["p99", "max"], "the load generator reports: seen"),
        (
            "warning",
            [*LATENCIES],
            "the load generator reports: seen (in 6 executions, the load generator reports "
            "1 more findings of this kind)",
        ),
    ]


def test_only_a_pacing_that_is_not_set_is_advised() -> None:
    for pacing, advised in (("default", True), ("precise", False)):
        run = honest_services().with_point(pacing=pacing).with_loads(FASTIFY, late)
        (finding,) = check(run.evidence())
        assert ("pacing" in finding.advice) == advised
        assert "a processor of its own" in finding.advice
