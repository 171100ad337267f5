"""Whether services meet their objective, and what is decided, in a sentence or two.

The conclusion about peaks: a question a class, answered test by test.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from decision.test_answer import beyond, foreign
from evidence.honest_peaks import CONNECTIONS, DB, FASTAPI, JSON, TESTS, honest_peaks, peak_id
from evidence.honest_services import (
    FASTIFY,
    VERTX,
    ServiceRun,
    honest_services,
    service_cell,
    services_of,
)
from report.conclusion.concluded import concluded, lines, question
from report.page.test_poor_runs import services_only_failed
from report.page.test_services import asked
from result.test_run import result_of
from runfair.formats.decision import CandidateAnswer
from runfair.formats.service import Objective
from runfair.report.conclusion import services
from runfair.wording.naming import label
from simulated.requests import MILLISECOND


def test_who_meets_the_objective_with_what_it_costs() -> None:
    found = question(honest_services())
    assert found.title == "pay · cards at 2,000 requests/s, objective p99 < 25 ms"
    name, p99, met, cpu, memory = found.rows[0]
    assert name == FASTIFY.name
    assert found.heading == ("service", "p99", "objective", "CPU per request", "memory")
    assert p99.startswith("4.")
    assert (met, cpu, memory) == ("met", "300 µs", "90.0 MiB")
    assert found.state == "answered"


def test_the_decision_is_said_with_short_names_and_what_it_saves_last() -> None:
    """That latency is no reason is said once, whoever the candidates are."""
    first, second = question(honest_services()).sentences
    assert first.startswith(
        "Latency is no reason for a rewrite: fastify meets p99 < 25 ms by a wide margin (≤ "
    )
    assert second.startswith("vertx would save 33% of fastify's CPU time [")


def test_a_decision_is_said_at_its_own_operating_point_only() -> None:
    """At the first of two points nothing could run, so `./runfair decide` answers the second."""
    run = honest_services()
    earlier = []
    for cell in run.plan.cells:
        assert cell.service is not None
        point = cell.service.point.model_copy(update={"rate_per_s": 400.0})
        changes = {
            "id": cell.id.replace("2000-per-s", "400-per-s"),
            "service": cell.service.model_copy(update={"point": point}),
            "unsupported": "it needs another machine",
        }
        earlier.append(cell.model_copy(update=changes))
    two_points = run.with_plan(cells=[*earlier, *run.plan.cells])
    first, second = concluded(two_points).questions
    assert "400 requests/s" in first.title
    assert not any("rewrite" in one for one in first.sentences)
    assert second.sentences == question(run).sentences


def candidate(name: str, advice: str) -> CandidateAnswer:
    return CandidateAnswer(
        service=name,
        outcome="not justified",
        reason="room to spare",
        sentence=f"Latency is no reason for a rewrite: a meets it. {advice}",
        gain=None,
        gain_interval=None,
        doubts=[],
    )


def test_the_candidate_that_saves_most_comes_first() -> None:
    """The short form may have room for one sentence only."""
    cells = result_of(honest_services()).cells
    candidates = [candidate(label(cell), f"{cell.tier} would save much.") for cell in cells]
    names = {cell.id: cell.tier for cell in cells}
    said = services._decided(candidates, names, cells)[1:]
    assert said == ["vertx would save much.", "fastify would save much."]


def test_what_is_unclear_comes_after_what_is_established() -> None:
    said = ("It is unclear whether b needs more or less CPU time than a.", "c would save 65%.")
    candidates = [candidate(name, advice) for name, advice in zip("bc", said, strict=True)]
    assert services._decided(candidates, {}, [])[1:] == [*reversed(said)]


def test_what_is_of_a_candidate_names_it() -> None:
    first = question(honest_services().with_loads(FASTIFY, beyond)).sentences[0]
    assert first.startswith("vertx: Justified: ")
    assert "temurin" not in first


def test_a_missed_objective_is_an_answer() -> None:
    found = question(honest_services().with_loads(FASTIFY, beyond))
    assert found.state == "missed"
    assert found.rows[0][:3] == (FASTIFY.name, "void", "missed")


def test_what_cannot_be_told_is_no_answer_and_says_why() -> None:
    run = foreign(honest_services().with_loads(FASTIFY, beyond))
    found = question(run)
    assert found.state == "open"
    assert found.sentences[0].startswith("No answer for fastify: ")
    failed = question(services_only_failed())
    assert failed.state == "open"
    assert failed.rows[0][-1] == "6 of 6 executions failed"


def test_a_single_execution_cannot_tell() -> None:
    run = honest_services()
    first = {cell: run.ids(cell)[0] for cell in (FASTIFY, VERTX)}
    kept = [one for one in run.executions if one.id in first.values()]
    planned = {one.planned for one in kept}
    effort = run.plan.effort.model_copy(update={"service_executions": 1})
    once = replace(
        run,
        executions=tuple(kept),
        plan=run.plan.model_copy(
            update={
                "executions": [one for one in run.plan.executions if one.id in planned],
                "effort": effort,
            }
        ),
    )
    found = question(once)
    assert found.state == "open"
    assert found.sentences[0] == (
        "Whether fastify and vertx meet p99 < 25 ms is unclear, because there are too few "
        "executions for a confidence interval."
    )


@pytest.mark.parametrize(
    ("limit_ms", "run", "reason"),
    [
        (
            3,
            honest_services().hosted(FASTIFY, "url"),
            "it is unknown whether other processes used the processors of the external service.",
        ),
        (
            3,
            services_of(
                honest_services().with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.03)
            ),
            "other processes used 3.0% of the processors' time.",
        ),
        (
            3,
            services_of(
                honest_services()
                .with_loads(FASTIFY, lambda one: one.failing(0.00002))
                .with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.03)
            ),
            "other processes used 3.0% of the processors' time.",
        ),
        (
            6,
            honest_services().with_loads(FASTIFY, lambda one: one.sent_late(2 * MILLISECOND)),
            "the objective's limit lies inside the bounds of p99.",
        ),
    ],
    ids=["external", "foreign time", "few failures", "bounds"],
)
def test_an_unclear_objective_says_why(limit_ms: int, run: ServiceRun, reason: str) -> None:
    """The measured p99 of fastify is above the limit, but may in truth be lower."""
    objective = Objective(percentile="p99", limit_ns=limit_ms * MILLISECOND)
    found = question(run.with_point(objective=objective))
    assert found.sentences[0] == (
        f"Whether fastify meets p99 < {limit_ms} ms is unclear, because {reason}"
    )


def test_without_an_objective_any_latency_is_an_answer() -> None:
    found = question(honest_services().with_point(objective=None))
    assert found.title == "pay · cards at 2,000 requests/s"
    assert found.sentences == ("The fastest by p99 is vertx, and the slowest is fastify.",)
    assert found.heading == ("service", "p99", "CPU per request", "memory")
    assert found.state == "answered"


def test_a_capacity_that_was_asked_for_is_told() -> None:
    (found,) = concluded(asked()).questions
    assert any(
        line.startswith("The highest rate at which each service meets the objective: ")
        for line in found.sentences
    )


def test_each_class_has_its_question() -> None:
    found = concluded(honest_peaks())
    assert [one.title for one in found.questions] == [
        "techempower at its peak, platform · raw · realistic",
        "techempower at its peak, micro · raw · realistic",
    ]
    assert found.state == "fair"
    for one in found.questions:
        assert one.state == "answered"
        assert [row[0] for row in one.rows] == [test.name for test in TESTS]
    platform = found.questions[0]
    assert "beast" in platform.rows[0][1].split(", ")[0]
    assert platform.rows[0][1].endswith("(requests/s)")
    assert platform.rows[2][1].endswith("(CPU/request)")
    assert platform.sentences[0].startswith(
        "Score 'sum', whose weights are not verified: beast 100, net-http "
    )
    assert platform.sentences[1].startswith("Score 'shares': beast 100, net-http ")


def test_a_peak_without_an_answer_leaves_its_question_open() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.failing(peak_id(FASTAPI, JSON, count), 6)
    found = concluded(run)
    assert [one.state for one in found.questions] == ["answered", "open"]
    assert "No answer for" in found.questions[1].sentences[0]
    assert found.badge == "not answered"


def test_a_test_that_a_framework_lacks_needs_no_answer() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(FASTAPI, DB, count), unsupported="it has no database")
    assert {one.state for one in concluded(run).questions} == {"answered"}


def test_it_fits_a_terminal() -> None:
    shown = lines(honest_peaks())
    assert len(shown) <= 24
    assert any("techempower at its peak" in line for line in shown)
