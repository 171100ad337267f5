"""Percentiles that too few requests stand behind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import GO, cell_id, honest_run
from evidence.honest_services import (
    FASTIFY,
    VERTX,
    honest_services,
    on_loads,
    on_services,
    service_cell,
)
from fairness.stories import Story
from runfair.fairness.checks.few_requests import check
from runfair.fairness.verdict import judge
from runfair.formats.finding import FigureName
from simulated.service_load import Load

CELL = service_cell(FASTIFY)


def hanging_together(load: Load) -> Load:
    """Ten requests are worth one: those that met one pause say one thing of it."""
    return replace(load, effective_share=0.1)


def level(load: Load) -> Load:
    """So quiet that a few requests are enough to see that it is steady."""
    return load.with_requests(done_ns=load.requests.intended_ns + 2_000_000)


STORIES = (
    Story(
        "half a minute's worth is missing", on_loads(lambda one: one.first(20_000)), "fault", CELL
    ),
    Story(
        "in one execution alone", on_loads(lambda one: one.first(36_886), FASTIFY, 1), "fault", CELL
    ),
    Story("they hang together", on_loads(hanging_together), "warning", CELL),
    Story(
        "they hang together in one execution alone",
        on_loads(hanging_together, FASTIFY, 1),
        "warning",
        CELL,
    ),
    Story("just enough", on_loads(lambda one: one.first(36_887)), None),
    Story("enough", on_services(lambda run: run), None),
)


@pytest.mark.parametrize(
    ("requests", "void"),
    [
        (36_887, []),
        (36_886, ["p99_99"]),
        (3_688, ["p99_99"]),
        (3_687, ["p99_9", "p99_99"]),
    ],
)
def test_each_percentile_needs_its_own_number(requests: int, void: list[FigureName]) -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: level(one.thinned(requests)))
    found = list(check(run.evidence()))
    assert [name for one in found for name in one.figures] == void
    for one in found:
        assert one.text.startswith(f"an execution has only {requests:,} requests, but ")


def test_where_nothing_was_steady_the_last_half_is_counted() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.first(800))
    assert [one.text.split(",")[0] for one in check(run.evidence())] == [
        "an execution has only 400 requests"
    ]


def test_the_maximum_stands_with_few() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.first(300))
    assert all("max" not in one.figures for one in check(run.evidence()))


def test_what_they_are_worth_is_told() -> None:
    (finding,) = check(honest_services().with_loads(FASTIFY, hanging_together).evidence())
    assert finding.severity == "warning"
    assert finding.figures == ["p99_99"]
    for part in (
        "48,000 requests",
        "so their effective sample size is only 4,800",
        "p99.99 needs 36,887",
    ):
        assert part in finding.text


def test_a_warm_up_is_not_taken_for_dependence() -> None:
    """To the generator all that was slow at first hangs together; the steady part does not."""
    warmed = honest_services().with_loads(VERTX, lambda one: replace(one, effective_share=0.02))
    (finding,) = check(warmed.evidence())
    assert finding.figures == ["p99_99"]
    (cell,) = [one for one in warmed.evidence().services if one.cell.id == service_cell(VERTX)]
    for execution in cell.completed:
        assert execution.load is not None
        assert execution.load.independent["p99_9"] > 3_688 > 0.02 * execution.load.latency.total


def test_what_is_void_for_want_of_them_is_not_flagged_as_well() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: hanging_together(one.first(36_886)))
    assert [(one.severity, one.figures) for one in check(run.evidence())] == [("fault", ["p99_99"])]


@pytest.mark.parametrize(
    ("samples", "lacking"),
    [(5, ["lateness.p50", "lateness.p99"]), (6, ["lateness.p99"]), (368, [])],
)
def test_each_percentile_of_a_distribution_needs_its_own_number(
    samples: int, lacking: list[FigureName]
) -> None:
    """The greatest needs none: it is what it is."""
    cold = cell_id(GO, mode="cold")
    run = honest_run().sampling(cold, lambda *_: [1_000_000] * samples)
    found = [one for one in check(run.evidence()) if one.cell == cold]
    assert [one.figures for one in found] == ([lacking] if lacking else [])
    if samples == 5:
        needs = "p50 needs 6, p99 needs 368"
        assert found[0].text == f"an execution recorded only 5 samples of lateness, but {needs}"


@pytest.mark.parametrize("single", [True, False])
def test_the_only_sample_of_a_single_distribution_is_its_figure(single: bool) -> None:
    """If the benchmark does not declare `single`, the program may have lost the other samples."""
    cold = cell_id(GO, mode="cold")
    run = honest_run().sampling(cold, lambda *_: [1_000_000], single=single)
    found = [one for one in check(run.evidence()) if one.cell == cold]
    assert bool(found) is not single


def test_several_iterations_of_a_single_distribution_are_samples() -> None:
    """Their median is a percentile like any other, and five samples are too few for it."""
    run = honest_run().sampling(
        cell_id(GO), lambda _, iteration: [1_000_000] if iteration < 5 else [], single=True
    )
    (finding,) = [one for one in check(run.evidence()) if one.cell == cell_id(GO)]
    assert "lateness.p50" in finding.figures


@pytest.mark.parametrize("silent", [1, 6])
def test_a_recorder_that_nobody_uses_voids_its_distribution(silent: int) -> None:
    cold = cell_id(GO, mode="cold")
    run = honest_run().sampling(cold, lambda one, _: [] if one < silent else [1_000_000] * 400)
    (finding,) = [one for one in check(run.evidence()) if one.cell == cold]
    assert finding.severity == "fault" and "no sample of lateness" in finding.text
    (cell,) = [one for one in judge(run.evidence()).cells if one.cell == cold]
    assert {cell.figures[f"lateness.{one}"].state for one in ("p50", "p99", "max")} == {"void"}
    assert cell.figures["cpu"].state == "fair"
