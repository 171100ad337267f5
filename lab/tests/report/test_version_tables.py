"""The table of versions shows what changed, and the source that explains it."""

from __future__ import annotations

from evidence.honest_run import honest_run
from result.test_run import result_of
from result.test_versions import cell, figure
from runfair.formats.result import CellResult, RunResult
from runfair.report.markdown import markdown
from runfair.report.page.contents import contents
from runfair.report.page.page_input import PageInput
from runfair.report.table import tables
from runfair.report.version_tables import version_tables

SLOW, FAST = [100e6, 101e6, 102e6], [10e6, 10.1e6, 10.2e6]


def run(*cells: CellResult) -> RunResult:
    return result_of(honest_run()).model_copy(update={"cells": list(cells)})


def test_a_row_a_version_with_its_change_and_reason() -> None:
    figures = {"1.10.8": figure(SLOW), "1.13.15": figure(SLOW, "void"), "1.14.15": figure(FAST)}
    result = run(
        *(cell(f"go-{version}", one, workload="ticker") for version, one in figures.items())
    )
    (table,) = version_tables(result)
    first, second, third = (row.cells for row in table.rows)
    assert first[0] == "go-1.10.8" and first[1].startswith("101 ms [") and first[2] == ""
    assert second == ("go-1.13.15", "void", "", "", "void")
    assert (third[0], *third[2:]) == (
        "go-1.14.15",
        "×0.100",
        "golang/go#24543, Go 1.14 release notes",
        "fair",
    )
    assert any("preempted asynchronously (from 1.14 on)" in note for note in table.notes)
    assert table in tables(result)


def test_the_page_and_the_markdown_show_the_change_and_its_source() -> None:
    figures = {"1.10.8": figure(SLOW), "1.13.15": figure(SLOW), "1.14.15": figure(FAST)}
    honest = result_of(honest_run()).cells
    versions = [cell(f"go-{version}", one, workload="ticker") for version, one in figures.items()]
    result = run(*versions, *honest)
    (table,) = version_tables(result)
    assert table in contents(PageInput(honest_run().evidence(), result)).tables
    lines = markdown(result).splitlines()
    (changed,) = [line for line in lines if "Go 1.14 release notes |" in line]
    assert "| go-1.14.15 |" in changed and "×0.100" in changed
    assert [line for line in lines if "×" in line and "go-1.1" in line] == [changed]


def test_two_figures_are_two_narrow_tables() -> None:
    cells = [cell(f"go-1.{n}", figure(SLOW)) for n in (10, 13, 14)]
    both = [
        one.model_copy(update={"figures": {**one.figures, "lateness.p50": figure(FAST)}})
        for one in cells
    ]
    (table,) = version_tables(run(*both))
    heads = ("version", "CPU time", "change", "lateness p50", "change", "explained by", "verdict")
    assert table.columns == heads
    assert [one.columns[1] for one in table.narrow] == ["CPU time", "lateness p50"]


def test_two_versions_are_compared_by_their_own_table() -> None:
    assert version_tables(run(*(cell(f"go-1.{n}", figure(SLOW)) for n in (13, 14)))) == []
