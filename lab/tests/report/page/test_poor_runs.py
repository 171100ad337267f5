"""Runs that lack something: the page says what there is, and is still right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import GCC, RUNTIMES, cell_id, honest_run
from evidence.honest_services import (
    SERVICES,
    ServiceRun,
    honest_services,
    service_cell,
    services_of,
)
from evidence.records import EXECUTIONS, Records
from report.page.pages import drawn, page_of, picture
from report.page.service_pages import page_of_services
from result.test_run import interrupted
from runfair.report.page.contents import Contents
from runfair.report.page.rendering import html


def without_executions() -> Records:
    return replace(honest_run(), executions=(), readings=())


def only_failed() -> Records:
    run = honest_run()
    for cell in run.plan.cells:
        run = run.failing(cell.id, EXECUTIONS, reason="exit status 1")
    return run


def of_one_runtime() -> Records:
    run = honest_run()
    mine = [cell for cell in run.plan.cells if cell.variant == GCC.name]
    ids = {cell.id for cell in mine}
    planned = [one for one in run.plan.executions if one.cell in ids]
    records = tuple(one for one in run.executions if one.cell in ids)
    return replace(run.with_plan(cells=mine, executions=planned), executions=records)


def unsupported() -> Records:
    run = honest_run()
    for cell in run.plan.cells:
        run = run.with_cell(cell.id, unsupported="needs a newer kernel")
    return replace(run, executions=())


def services_without_loads() -> ServiceRun:
    """They were started, and never came to their operating point."""
    return replace(honest_services(), loads={})


def services_only_failed() -> ServiceRun:
    run = honest_services()
    for service in SERVICES:
        run = services_of(run.failing(service_cell(service), EXECUTIONS, reason="no answer"))
    return run


POOR = {
    "no executions": lambda: page_of(without_executions()),
    "only failed": lambda: page_of(only_failed()),
    "one runtime": lambda: page_of(of_one_runtime()),
    "unsupported": lambda: page_of(unsupported()),
    "no cells": lambda: page_of(without_executions().with_plan(cells=[], executions=[])),
    "interrupted": lambda: page_of(interrupted()),
    "one execution": lambda: page_of(replace(honest_run(), executions=honest_run().executions[:1])),
    "services without loads": lambda: page_of_services(services_without_loads()),
    "services that failed": lambda: page_of_services(services_only_failed()),
}


@pytest.fixture(scope="module", params=POOR)
def poor(request: pytest.FixtureRequest) -> Contents:
    page: Contents = POOR[request.param]()
    return page


def test_a_page_is_made_and_every_picture_can_be_drawn(poor: Contents) -> None:
    page = html(poor)
    assert poor.header.conclusion.badge in page
    assert all(svg.startswith("<svg") for svg in drawn(poor))


def test_nothing_is_drawn_of_what_never_was() -> None:
    page = page_of(without_executions())
    assert dict(page.header.conclusion.facts)["Quality"] == (
        "nothing is measured yet; incomplete: ./runfair resume"
    )
    assert page.header.conclusion.state is None
    for one in page.pictures:
        assert not any(one.data["values"].values())
        assert one.judgement.total == 0


def test_only_failures_are_void_and_counted() -> None:
    page = page_of(only_failed())
    assert page.header.conclusion.state == "void"
    count = EXECUTIONS * len(honest_run().plan.cells)
    assert f"{count} executions failed" in html(page)
    shown = picture(page, "Relative CPU time · small · steady")
    assert not shown.data["values"]["series"]
    assert shown.judgement.counts["void"] == len(RUNTIMES)


def test_an_interrupted_run_says_so() -> None:
    assert "incomplete: ./runfair resume" in html(page_of(interrupted()))


def test_one_runtime_is_its_own_baseline() -> None:
    page = page_of(of_one_runtime())
    shown = picture(page, "Relative CPU time · small · steady").data["values"]
    assert list(shown["value"]) == [1]
    assert "all 12 figures fair" in html(page)
    assert cell_id(GCC) not in html(page)  # identities are for machines
