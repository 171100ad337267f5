"""Who is the baseline, also where the first that is named could not run."""

from __future__ import annotations

import pytest

from evidence.honest_services import (
    FASTIFY,
    VERTX,
    Service,
    ServiceRun,
    honest_services,
    service_cell,
)
from runfair.decision.contenders import contenders
from runfair.errors import UserMistake


def without(*services: Service, run: ServiceRun | None = None) -> ServiceRun:
    """A run with three services, of which these could not run."""
    run = three() if run is None else run
    gone = {service_cell(one) for one in services}
    cells = [
        cell.model_copy(update={"unsupported": "nothing to run it with"})
        if cell.id in gone
        else cell
        for cell in run.plan.cells
    ]
    changed = run.with_plan(cells=cells)
    assert isinstance(changed, ServiceRun)
    return changed


def alone(run: ServiceRun) -> ServiceRun:
    """The run with its first service only."""
    changed = run.with_plan(cells=run.plan.cells[:1])
    assert isinstance(changed, ServiceRun)
    return changed


def three() -> ServiceRun:
    run = honest_services()
    again = run.plan.cells[1].model_copy(update={"id": "third", "tier": "netty"})
    changed = run.with_plan(cells=[*run.plan.cells, again])
    assert isinstance(changed, ServiceRun)
    return changed


def test_the_first_that_is_named_is_the_baseline() -> None:
    (found,) = contenders(three().evidence())
    assert found.baseline.cell.tier == "fastify"
    assert [one.cell.tier for one in found.candidates] == ["vertx", "netty"]
    assert found.note == ""


def test_whoever_stands_in_for_the_first_is_said() -> None:
    (found,) = contenders(without(FASTIFY).evidence())
    assert found.baseline.cell.tier == "vertx"
    assert [one.cell.tier for one in found.candidates] == ["netty"]
    assert found.note == (
        "the baseline is vertx (temurin-25+g1-gc), because fastify (node-20.20.2) could not run "
        "(nothing to run it with)"
    )


@pytest.mark.parametrize("name", ["vertx", "vertx (temurin-25+g1-gc)", "temurin-25+g1-gc"])
def test_another_baseline_can_be_asked_for(name: str) -> None:
    (found,) = contenders(three().evidence(), name)
    assert found.baseline.cell.tier == "vertx"
    assert [one.cell.tier for one in found.candidates] == ["fastify", "netty"]
    assert found.note == ""


def test_a_baseline_that_is_asked_for_must_have_run() -> None:
    with pytest.raises(
        UserMistake,
        match=(r"^--baseline vertx: this service cannot be the baseline, because .*nothing to run"),
    ):
        contenders(without(VERTX).evidence(), "vertx")
    with pytest.raises(
        UserMistake,
        match=(r"--baseline axum: the run has no such service; its services are fastify "),
    ):
        contenders(three().evidence(), "axum")


def test_a_single_service_is_compared_with_the_objective_alone() -> None:
    (found,) = contenders(alone(honest_services()).evidence())
    assert (found.baseline.cell.tier, found.candidates, found.note) == ("fastify", (), "")
    with pytest.raises(UserMistake, match=r"too few services could run: fastify .* could not run"):
        contenders(alone(without(FASTIFY, run=honest_services())).evidence())


def test_nothing_to_compare_with() -> None:
    with pytest.raises(UserMistake, match=r"too few services could run: fastify .* could not run"):
        contenders(without(FASTIFY, run=honest_services()).evidence())
    with pytest.raises(UserMistake, match="state an `objective`"):
        contenders(honest_services().with_point(objective=None).evidence())
    with pytest.raises(UserMistake, match="measured no service"):
        contenders(honest_services().with_plan(cells=[]).evidence())
