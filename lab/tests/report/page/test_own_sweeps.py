"""A benchmark's own samples along its own parameter: no page code knows of either."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evidence.honest_run import GO, KINDS, PYTHON, cell_id, honest_run
from evidence.records import Records
from report.page.browser import chromium, opened
from report.page.pages import drawn, picture
from result.test_run import damaged, disturbed
from runfair.evidence.reading import OwnValues
from runfair.fairness.verdict import judge
from runfair.formats.result import CellResult
from runfair.report.page.contents import Contents, contents
from runfair.report.page.distributions import kin_of, state_of
from runfair.report.page.page_input import PageInput
from runfair.report.page.rendering import html
from runfair.result.run import assemble

TASKS = (10, 1000, 100)  # a point of the sweep for each kind of cell
LATENESS_NS = {  # Go is the later one of few tasks, Python of many
    GO.name: {10: 5e6, 100: 6e6, 1000: 7e6},
    PYTHON.name: {10: 1e6, 100: 6e6, 1000: 90e6},
}


def swept() -> Records:
    run = honest_run()
    for runtime in (GO, PYTHON):
        for tasks, (size, mode) in zip(TASKS, KINDS, strict=True):
            changed = {
                "size": "small",
                "mode": "steady",
                "parameters": {"tasks": tasks, "name": "timer"},
                "own": f"tasks={tasks}",
            }
            cell = cell_id(runtime, size, mode)
            run = run.with_cell(cell, **changed).with_starts(cell, size="small")
    return run


def page_of(records: Records, scale: float = 1.0) -> Contents:
    evidence = records.evidence()
    cells = {one.id: one for one in records.plan.cells}
    by_execution = {one.id: (cells[one.cell], one) for one in records.executions}

    def own_values(execution: str) -> list[OwnValues]:
        cell, record = by_execution[execution]
        tasks = cell.parameters.get("tasks")
        if cell.variant not in LATENESS_NS or not isinstance(tasks, int):
            return []
        middle = scale * LATENESS_NS[cell.variant][tasks] * (1 + record.block / 1000)
        return [OwnValues("lateness", "ns", np.array([middle / 2, middle, middle * 9]))]

    result = assemble("run", evidence, judge(evidence))
    return contents(PageInput(evidence, result, own_values=own_values))


@pytest.fixture(scope="module")
def page() -> Contents:
    return page_of(swept())


def test_the_median_of_each_point_in_order(page: Contents) -> None:
    one = picture(page, "lateness by tasks · sudoku · balanced · small · steady")
    rows = [row.cells[:3] for row in one.table.rows]
    assert rows[:3] == [
        (GO.name, "10", "5.01 ms [5.00 ms, 5.01 ms]"),
        (GO.name, "100", "6.01 ms [6.01 ms, 6.02 ms]"),
        (GO.name, "1,000", "7.01 ms [7.01 ms, 7.02 ms]"),
    ]
    assert len(rows) == 6
    assert set(one.data["points"]["place"]) == set(TASKS)
    assert len(drawn(page)) == len(page.pictures)


def test_where_two_variants_cross(page: Contents) -> None:
    one = picture(page, "lateness by tasks")
    told = (
        f"{PYTHON.name} and {GO.name} cross between 10 and 1,000. Before this range, the line "
        f"of {PYTHON.name} is the lower one."
    )
    assert told in one.caption


def test_a_void_point_is_a_gap() -> None:
    page = page_of(damaged(swept(), cell_id(PYTHON, "large")))
    one = picture(page, "lateness by tasks")
    points = one.data["points"]
    place = list(zip(points["series"], points["place"], strict=True)).index((PYTHON.name, 1000))
    assert (points["value"][place], points["high"][place]) == (None, None)
    assert points["said"][place] == "void"
    assert "cross between" not in one.caption
    spread = picture(page, "lateness · sudoku · balanced · tasks=1000")
    assert PYTHON.name not in spread.data["values"]["series"]
    assert [row.cells[2] for row in spread.table.rows if row.cells[0] == PYTHON.name] == ["void"]


UNITS = [("ns", "wall"), ("ms", "wall"), ("tasks/s", "wall"), ("bytes", "memory"), ("", "memory")]


@pytest.mark.parametrize(("unit", "kin"), UNITS)
def test_a_damaged_record_voids_times_and_rates_alone(unit: str, kin: str) -> None:
    assert kin_of(unit) == kin
    cell = go(damaged(honest_run(), cell_id(GO)))
    assert state_of(cell, unit) == ("void" if kin == "wall" else "fair")


@pytest.mark.parametrize(("unit", "kin"), UNITS)
def test_a_busy_machine_disturbs_times_and_rates_alone(unit: str, kin: str) -> None:
    assert kin_of(unit) == kin
    cell = go(honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2))
    assert state_of(cell, unit) == ("flagged" if kin == "wall" else "fair")


def go(records: Records) -> CellResult:
    evidence = records.evidence()
    result = assemble("run", evidence, judge(evidence))
    return next(one for one in result.cells if one.id == cell_id(GO))


def test_where_all_is_void_nothing_is_drawn_and_the_browser_has_no_complaint(
    tmp_path: Path,
) -> None:
    records = swept()
    for runtime in (GO, PYTHON):
        for size, mode in KINDS:
            records = damaged(records, cell_id(runtime, size, mode))
    page = page_of(records)
    assert set(picture(page, "lateness by tasks").data["points"]["value"]) == {None}
    path = tmp_path / "page.html"
    path.write_text(html(page), encoding="utf-8")
    with chromium() as browser:
        assert opened(browser, path).complaints == []


def test_a_bounded_time_is_swept_with_its_limits_in_words(tmp_path: Path) -> None:
    page = page_of(disturbed(swept(), cell_id(PYTHON, "large")))
    wall = picture(page, "wall time by tasks · sudoku · balanced · small · steady")
    said = {row.cells[:2]: row.cells[2:] for row in wall.table.rows}
    limit, verdict = said[PYTHON.name, "1,000"]
    assert limit.startswith("≤ ") and "[" not in limit
    assert verdict == "flagged"
    assert "[" in said[PYTHON.name, "100"][0]
    path = tmp_path / "page.html"
    path.write_text(html(page), encoding="utf-8")
    with chromium() as browser:
        assert opened(browser, path).complaints == []


def test_where_nothing_is_fair_the_browser_has_no_complaint(tmp_path: Path) -> None:
    records = swept()
    for runtime in (GO, PYTHON):
        for size, mode in KINDS:
            records = records.with_launch_share(cell_id(runtime, size, mode), "foreign_ns", 0.2)
    page = page_of(records, scale=0.0)
    one = picture(page, "lateness by tasks")
    assert set(one.data["points"]["verdict"]) == {"flagged"}
    path = tmp_path / "page.html"
    path.write_text(html(page), encoding="utf-8")
    with chromium() as browser:
        assert opened(browser, path).complaints == []


def test_times_are_swept_along_the_parameter_too(page: Contents) -> None:
    wall = picture(page, "wall time by tasks · sudoku · balanced · small · steady")
    assert {row.cells[1] for row in wall.table.rows} == {"10", "100", "1,000"}
