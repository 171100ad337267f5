"""Load generators in another place, whose clock is known well, or badly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from evidence.honest_services import (
    FASTIFY,
    SECONDS,
    honest_services,
    on_loads,
    on_services,
    service_cell,
)
from fairness.stories import Story
from runfair.evidence.cell import CellEvidence
from runfair.fairness.checks.clock_offset import check
from runfair.formats.finding import Finding
from runfair.formats.place import Clock, Location
from simulated.requests import SECOND
from simulated.service_load import Load

CELL = service_cell(FASTIFY)
MS = 1_000_000


def known_to(uncertainty_ns: int, place: str = "elsewhere") -> Callable[[Load], Load]:
    clock = Clock(uncertainty_ns=uncertainty_ns)
    return lambda load: replace(load, place=Location(name=place, clock=clock))


STORIES = (
    Story("known to a tenth of the load", on_loads(known_to(2 * SECOND)), "fault", CELL),
    Story("known to a hundredth of the load", on_loads(known_to(SECOND // 4)), "warning", CELL),
    Story("in one execution alone", on_loads(known_to(2 * SECOND), count=1), "fault", CELL),
    Story("known to a tenth of a millisecond", on_loads(known_to(MS // 10)), "limitation", CELL),
    Story("known exactly", on_loads(known_to(0)), None),
    Story("one clock for all", on_loads(known_to(2 * SECOND, "local")), None),
    Story("services that nobody moved", on_services(lambda run: run), None),
)


def found(uncertainty_ns: int) -> tuple[CellEvidence, dict[str, Finding]]:
    run = honest_services().with_loads(FASTIFY, known_to(uncertainty_ns)).evidence()
    (cell,) = [one for one in run.services if one.cell.id == CELL]
    return cell, {one.figures[0]: one for one in check(run)}


@pytest.mark.parametrize("uncertainty_ns", [MS // 10, SECOND])
def test_cpu_time_carries_the_error_of_both_ends(uncertainty_ns: int) -> None:
    cell, findings = found(uncertainty_ns)
    error = findings["cpu"].values["error"]
    assert isinstance(error, float)
    spans = [SECONDS * SECOND - each.load.steady_from_ns for each in cell.completed if each.load]
    # The looks lie within the steady part, and reach nearly from end to end.
    assert 2 * uncertainty_ns / min(spans) <= error < 2.2 * uncertainty_ns / min(spans)
    assert findings["cpu"].effect == "either"
    assert findings["cpu"].size == error


def test_what_is_laid_against_requests_names_the_uncertainty() -> None:
    _, findings = found(MS // 4)
    assert findings["p50"].severity == "limitation"
    assert findings["p50"].text.endswith(
        "is known only to ±0.25 ms, so runfair may attribute an event or a query to the wrong "
        "request"
    )
