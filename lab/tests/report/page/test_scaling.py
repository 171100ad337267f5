"""Sweeps as lines: the values of the cells that they consist of, with a gap where one is void."""

from __future__ import annotations

from dataclasses import replace

import vl_convert

from evidence.honest_run import GCC, honest_run
from report.page.pages import picture
from report.test_sweep import MIB, connections, figure, swept
from runfair.formats.plan import Factors
from runfair.formats.result import RunResult
from runfair.report.page.contents import Contents, contents
from runfair.report.page.page_input import PageInput
from runfair.report.page.picture import standalone
from runfair.report.page.scaling import crossovers


def page_of_result(result: RunResult) -> Contents:
    """Cells of a run that is told by its result alone: each with an id of its own."""
    cells = [
        cell.model_copy(update={"id": str(number)}) for number, cell in enumerate(result.cells)
    ]
    untold = replace(honest_run(), readings=())
    evidence = untold.with_plan(cells=[], executions=[]).evidence()
    return contents(PageInput(evidence, result.model_copy(update={"cells": cells})))


def test_a_line_has_every_point_and_a_gap_where_one_is_void() -> None:
    points = [connections(n) for n in (256, 1, 16)]
    values = [figure(3e6), figure(1e6, "flagged"), figure(2e6, "void")]
    page = page_of_result(swept(points, values))
    wall = picture(page, "wall time by connections · sudoku · balanced")
    assert wall.data["points"]["place"] == [1, 16, 256]
    assert wall.data["points"]["value"] == [1_000_000, None, 3_000_000]
    assert wall.data["points"]["said"] == ["1.00 ms", "void", "3.00 ms"]
    assert wall.judgement.counts == {"fair": 1, "flagged": 1, "void": 1}
    assert vl_convert.vegalite_to_svg(standalone(wall)).startswith("<svg")


def test_the_title_names_the_connections_of_another_sweep() -> None:
    points = [
        {**connections(64), "threads": n, "factors": Factors(processors=n)} for n in (1, 2, 4)
    ]
    page = page_of_result(swept(points, [figure(1e6)] * 3))
    assert picture(page, "wall time by threads").title.endswith(" · steady · 64 connections")


def test_a_variant_alone_at_each_point_is_shown_by_the_sweep_only() -> None:
    heaps: list[dict[str, object]] = [
        {"factors": Factors(heap_bytes=heap)} for heap in (None, 8 * MIB, 12 * MIB)
    ]
    page = page_of_result(swept(heaps, [figure(1e6)] * 3))
    assert [one.name for one in page.sections] == ["sweeps"]
    wall = picture(page, "wall time by heap")
    assert wall.data["points"]["at"] == ["8.00 MiB", "12.0 MiB"]
    # One that is left to the runtime has no place on the axis, and a row in the table.
    assert [row.cells[:2] for row in wall.table.rows] == [
        (GCC.name, "the runtime's own"),
        (GCC.name, "8.00 MiB"),
        (GCC.name, "12.0 MiB"),
    ]


def said(**courses: dict[float, tuple[float, float]]) -> list[str]:
    return list(crossovers(courses, lambda place: f"{place:g}"))


def test_a_crossing_lies_between_two_points_where_somebody_leads() -> None:
    ours = {10.0: (1.0, 2.0), 100.0: (4.0, 6.0), 1000.0: (9.0, 10.0)}
    theirs = {10.0: (3.0, 4.0), 100.0: (5.0, 7.0), 1000.0: (6.0, 7.0)}
    assert said(a=ours, b=theirs) == [
        "The lines of a and b cross between 10 and 1000. Before this range, the line of a is "
        "the lower one. After this range, the line of b is the lower one."
    ]
    assert said(b=theirs, a=ours) == said(a=ours, b=theirs)


def test_none_where_one_leads_throughout_or_nobody_is_known_to() -> None:
    low, high = (1.0, 2.0), (3.0, 4.0)
    assert said(a={1.0: low, 2.0: low}, b={1.0: high, 2.0: high}) == []
    assert said(a={1.0: low, 2.0: (1.0, 5.0)}, b={1.0: high, 2.0: low}) == []
    assert said(a={1.0: low}, b={2.0: high}) == []
    assert said(a={1.0: low, 2.0: high}) == []


def test_there_and_back() -> None:
    low, high = (1.0, 2.0), (3.0, 4.0)
    ours, theirs = {1.0: low, 2.0: high, 4.0: low}, {1.0: high, 2.0: low, 4.0: high}
    assert len(said(a=ours, b=theirs)) == 2
