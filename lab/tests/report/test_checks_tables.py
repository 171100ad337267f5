"""The cost of V8's checks in the tables and on the page."""

from __future__ import annotations

from evidence.checks import CHECKS
from evidence.honest_run import GO, cell_id, honest_run
from result.test_run import result_of
from runfair.formats.probe import ProbedResult
from runfair.formats.result import RunResult
from runfair.report.checks_tables import checks_tables
from runfair.report.page.contents import contents
from runfair.report.page.page_input import PageInput
from runfair.report.table import tables


def with_checks(probed: ProbedResult) -> RunResult:
    result = result_of(honest_run())
    cells = [
        one.model_copy(update={"probed": [probed]}) if one.id == cell_id(GO) else one
        for one in result.cells
    ]
    return result.model_copy(update={"cells": cells})


FLAGGED = ProbedResult(execution="e1", verdict="flagged", reason="a reason", checks=CHECKS)


def test_each_removal_has_a_row() -> None:
    result = with_checks(FLAGGED)
    (table,) = checks_tables(result)
    assert table.title.startswith(f"{GO.name} · sudoku")
    assert table.title.endswith("· V8's checks")
    assert [row.cells for row in table.rows] == [
        ("bounds", "6", "18.9% [14.3, 23.3]", "solver.js:42:15 ×6", "flagged"),
        ("all", "6", "—", "", "flagged"),
        ("control: nothing", "0", "0.0% [-1.0, 1.0]", "", "flagged"),
    ]
    assert table.notes[0].startswith("In each of 40 rounds, runfair removed each kind of check")
    assert table.notes[0].endswith("for 3 iterations, and then restored it")
    assert "StringEqual ×2" in table.notes[2]
    assert table.notes[3] == "a reason"
    assert table in tables(result)
    void = ProbedResult(execution="e1", verdict="void", reason="a wrong answer")
    assert checks_tables(with_checks(void)) == []


def test_the_page_has_a_picture_of_each_program() -> None:
    page = contents(PageInput(honest_run().evidence(), with_checks(FLAGGED)))
    (section,) = [one for one in page.sections if one.name == "checks"]
    (picture,) = section.pictures
    assert picture.data["checks"]["removed"] == ["bounds", "control: nothing"]
    assert picture.data["checks"]["saved"] == [18.9, 0]
    assert picture.judgement.counts == {"fair": 0, "flagged": 3, "void": 0}
    assert all(
        one.name != "checks"
        for one in contents(PageInput(honest_run().evidence(), result_of(honest_run()))).sections
    )
