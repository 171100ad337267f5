"""Services that fail, a little or a lot, and are fast at it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_services import (
    FASTIFY,
    VERTX,
    honest_services,
    on_loads,
    on_services,
    service_cell,
)
from fairness.stories import Story
from runfair.fairness.checks.errors import check
from runfair.fairness.figures import LATENCIES
from runfair.fairness.verdict import judge
from runfair.formats.execution import Outcome
from simulated.service_load import Load

CELL = service_cell(FASTIFY)


def refusing(load: Load) -> Load:
    return load.failing(0.0005, "refused")


def wrong(load: Load) -> Load:
    return replace(load.failing(0.1), complaint="500 Internal Server Error")


STORIES = (
    Story("a tenth of the answers are 500", on_loads(wrong), "fault", CELL),
    Story(
        "a tenth in one execution alone",
        on_loads(wrong, FASTIFY, 1),
        "fault",
        CELL,
    ),
    Story(
        "bodies that are wrong",
        on_loads(lambda one: one.failing(0.02, "wrong_body")),
        "fault",
        CELL,
    ),
    Story("one in two thousand refused: none of p99.99", on_loads(refusing), "fault", CELL),
    Story(
        "another service's failures are its own",
        on_loads(refusing, VERTX, 1),
        "fault",
        service_cell(VERTX),
    ),
    Story(
        "a part of the bodies compared",
        on_services(lambda run: run.with_point(check_share=0.1)),
        "limitation",
        CELL,
    ),
    Story(
        "its database was lost once",
        on_services(lambda run: run.with_served(FASTIFY, database_restarted=True)),
        "fault",
        CELL,
    ),
    Story("all of them are good", on_services(lambda run: run), None),
)


def test_they_are_counted_by_kind_over_all_executions() -> None:
    run = honest_services().with_loads(FASTIFY, wrong, 2)
    (finding,) = check(run.evidence())
    assert finding.cell == CELL
    assert finding.text == (
        "9,600 of 288,000 requests failed: wrong status 4,800 (500 Internal Server Error)"
    )
    assert finding.values == {"failed": 9600, "requests": 288_000, "worst_share": 0.1}


@pytest.mark.parametrize(("share", "state"), [(0.01, "flagged"), (0.011, "void")])
def test_beyond_one_in_a_hundred_all_are_void(share: float, state: str) -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.failing(share), 1)
    judged = judge(run.evidence())
    figures = next(one.figures for one in judged.cells if one.cell == CELL)
    assert {figures["p90"].state, figures["p99"].state, figures["cpu"].state} == {state}
    # Few failures hardly move the median.
    assert figures["p50"].state == ("void" if state == "void" else "fair")


def test_a_wrong_body_stands_for_those_that_nobody_compared() -> None:
    run = honest_services().with_loads(
        FASTIFY, lambda one: one.failing(0.005, "wrong_body").telling(check_share=0.005)
    )
    finding = next(iter(check(run.evidence())))
    assert finding.severity == "fault"
    assert finding.text.endswith(
        "; about 286,560 more probably have a wrong body, but were not compared"
    )
    judged = judge(run.evidence())
    figures = next(one.figures for one in judged.cells if one.cell == CELL)
    assert {figures["p50"].state, figures["p99"].state, figures["cpu"].state} == {"void"}


@pytest.mark.parametrize(
    ("share", "unbounded"),
    [
        (0.00005, {"max"}),
        (0.0005, {"max", "p99_99"}),
        (0.005, {"max", "p99_99", "p99_9"}),
        (0.0099, {"max", "p99_99", "p99_9"}),
    ],
)
def test_a_tail_shorter_than_the_failures_is_bounded_from_below(
    share: float, unbounded: set[str]
) -> None:
    """Who failed would have stood there: the good answers alone say nothing of how long."""
    run = honest_services().with_loads(FASTIFY, lambda one: one.failing(share))
    judged = judge(run.evidence())
    figures = next(one.figures for one in judged.cells if one.cell == CELL)
    assert "void" not in {one.state for one in figures.values()}
    bounds = {name: one.bounds for name, one in figures.items() if one.bounds is not None}
    assert {*bounds} == {*LATENCIES}
    assert {name for name, (_, high) in bounds.items() if high is None} == unbounded
    assert all(low is not None for low, _ in bounds.values())


def test_what_fails_fast_has_no_latency_and_no_cost_to_show() -> None:
    """Memory and the start are what they are."""
    judged = judge(honest_services().with_loads(FASTIFY, wrong).evidence())
    figures = next(one.figures for one in judged.cells if one.cell == CELL)
    assert {name for name, one in figures.items() if one.state == "void"} == {
        *("p50", "p90", "p99", "p99_9", "p99_99", "max"),
        "cpu",
    }


def test_the_worst_kind_comes_first_and_what_did_not_happen_is_left_out() -> None:
    run = honest_services().with_loads(
        FASTIFY, lambda one: one.failing(0.01, "wrong_body").failing(0.001, "refused"), 1
    )
    (finding, _) = check(run.evidence())
    assert finding.text == "480 of 288,000 requests failed: wrong body 432, refused 48"


def test_who_never_answered_had_no_bodies_to_compare() -> None:
    lost = Outcome(state="failed", reason="killed")
    run = honest_services().with_point(check_share=0.1).with_records(CELL, outcome=lost)
    assert {one.cell for one in check(run.evidence())} == {service_cell(VERTX)}
