"""The honest run of services is honest; and what the other checks say of services."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from evidence.honest_run import honest_run
from evidence.honest_services import (
    FASTIFY,
    SERVICES,
    VERTX,
    Service,
    honest_services,
    service_cell,
    services_of,
)
from runfair.fairness.checks import CHECKS, Check, executions, machine, warm_up
from runfair.fairness.figures import LATENCIES
from runfair.fairness.verdict import judge
from runfair.formats.execution import Outcome
from runfair.formats.finding import CellVerdicts, Finding
from runfair.formats.plan import Effort
from simulated.requests import NO_PAUSES, SECOND, IntArray, frozen
from simulated.service_load import Load

OF_SERVICES = (
    *("errors", "offered_rate", "generator_delay", "relay_delay"),
    *("omitted_pauses", "few_requests"),
)


@pytest.mark.parametrize(
    "seed", [*range(1, 6), *(pytest.param(one, marks=pytest.mark.long) for one in range(6, 21))]
)
def test_an_honest_run_has_no_finding(seed: int) -> None:
    evidence = honest_services.__wrapped__(seed).evidence()
    findings = [
        finding
        for check in CHECKS
        for finding in check.check(evidence)
        if (finding.check, finding.severity) != (machine.NAME, "limitation")
    ]
    assert findings == []
    assert [len(one.completed) for one in evidence.services] == [6, 6]


def test_the_seed_decides() -> None:
    first, again, other = (honest_services.__wrapped__(seed) for seed in (7, 7, 8))
    assert (first.plan, first.executions) == (again.plan, again.executions)
    for name, load in first.loads.items():
        assert np.array_equal(load.requests.done_ns, again.loads[name].requests.done_ns)
        assert not np.array_equal(load.requests.done_ns, other.loads[name].requests.done_ns)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_execution_is_seen_as_it_was_made(service: Service) -> None:
    (cell,) = [
        one for one in honest_services().evidence().services if one.cell.id == service_cell(service)
    ]
    for one in cell.completed:
        assert one.load is not None
        assert one.load.steady.classification == ("warmup" if service is VERTX else "flat")
        assert one.load.steady_from_ns == service.warm_up_seconds * SECOND


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_checks_of_services_say_nothing_of_programs(check: Check) -> None:
    if check.NAME in OF_SERVICES:
        assert honest_run().evidence().services == ()
        assert list(check.check(honest_run().evidence())) == []


def worked(load: Load, factor: IntArray) -> Load:
    """Two milliseconds for each request, times a factor in hundredths."""
    work = 2_000_000 * factor // 100
    return replace(load, requests=frozen(load.requests.intended_ns, work), pauses_ns=NO_PAUSES)


def drifting(load: Load) -> Load:
    """Twice as slow at the end as at the start, and nowhere level."""
    return worked(load, np.linspace(100, 200, len(load.requests.kind)).astype(np.int64))


def slowing(load: Load) -> Load:
    factor = np.full(len(load.requests.kind), 100, dtype=np.int64)
    factor[8000:] = 150
    return worked(load, factor)


@pytest.mark.parametrize(("count", "severity"), [(1, "warning"), (5, "warning"), (6, "fault")])
def test_a_service_that_is_never_steady(count: int, severity: str) -> None:
    run = honest_services().with_loads(FASTIFY, drifting, count)
    found = list(warm_up.check(run.evidence()))
    assert (found[0].severity, found[0].cell) == (severity, service_cell(FASTIFY))
    # The reference loop of this run is even, so the machine did not wander. Before the run's first
    # execution nobody read it.
    expected = f"{count} of 6 executions never became steady"
    if count > 1:
        level = (
            r"the times of runfair's reference loop \(constant work\) changed only by up to 0\.\d%"
        )
        expected += (
            f"; in {count - 1} of these executions, the program itself probably became faster or "
            rf"slower: its times changed by up to \d+%, but {level}"
        )
    assert re.fullmatch(expected, found[0].text), found[0].text
    named = [(one.severity, one.figures) for one in found]
    if severity == "warning":
        assert named == [("warning", [*LATENCIES, "cpu"])]
    else:
        assert named == [("fault", [*LATENCIES]), ("warning", ["cpu"])]


def test_one_service_that_slows_down_among_others() -> None:
    (finding,) = warm_up.check(honest_services().with_loads(FASTIFY, slowing, 1).evidence())
    assert (finding.severity, finding.text) == (
        "warning",
        "executions became steady in different ways: 5 flat, 1 slowdown",
    )


def test_too_few_requests_to_tell_whether_it_was_steady() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.first(900), 1)
    (finding,) = warm_up.check(run.evidence())
    assert finding.text.endswith("became steady, because there are too few requests")


def test_an_execution_that_failed_is_no_part_of_any_figure() -> None:
    lost = Outcome(state="failed", reason="killed")
    run = honest_services().with_records(service_cell(VERTX), 2, outcome=lost)
    (finding,) = executions.check(run.evidence())
    assert finding.values == {"completed": 4, "asked": 6}
    (cell,) = [one for one in run.evidence().services if one.cell.id == service_cell(VERTX)]
    assert (len(cell.completed), len(cell.failed)) == (4, 2)


def test_services_are_asked_for_as_often_as_the_profile_says() -> None:
    effort = Effort(executions=2, max_seconds=6, timeout_seconds=60, service_executions=10)
    found = list(executions.check(honest_services().with_plan(effort=effort).evidence()))
    assert {(one.cell, one.severity) for one in found} == {
        (service_cell(service), "warning") for service in SERVICES
    }


def test_a_service_has_the_figures_of_a_service() -> None:
    for one in judge(honest_services().evidence()).cells:
        assert tuple(one.figures) == (*LATENCIES, "cpu", "memory", "start")


def test_of_a_service_that_ran_already_it_is_said_what_nobody_knows() -> None:
    """And nothing of its processes, of which nobody took account: no peak, no throttling."""
    judged = judge(honest_services().hosted(VERTX, "url").evidence())
    said = {
        (cell.cell, finding.check, finding.severity)
        for cell in judged.cells
        for finding in _findings(cell)
    }
    # What wall time needs and nobody knows flags it; the rest is noted.
    assert said == {
        (service_cell(VERTX), "foreign_time", "warning"),
        (service_cell(VERTX), "equal_conditions", "limitation"),
        (service_cell(VERTX), "unequal_builds", "limitation"),
    }


def _findings(cell: CellVerdicts) -> list[Finding]:
    return [finding for one in cell.figures.values() for finding in one.findings]


def test_of_services_that_never_answered_it_is_said_that_they_failed() -> None:
    run = honest_services().with_point(check_share=0.1, objective=None)
    lost = Outcome(state="failed", reason="killed")
    for service in SERVICES:
        run = services_of(run.with_records(service_cell(service), outcome=lost))
    evidence = run.evidence()
    assert {one.check for check in CHECKS for one in check.check(evidence)} == {
        "failures",
        "executions",
    }


def test_a_load_that_is_not_told_is_not_judged() -> None:
    """Its files are gone, its record is there."""
    run = honest_services()
    gone = run.ids(VERTX)[0]
    evidence = replace(
        run, loads={name: load for name, load in run.loads.items() if name != gone}
    ).evidence()
    assert {(one.check, one.cell) for check in CHECKS for one in check.check(evidence)} == {
        ("warm_up", service_cell(VERTX))
    }
