"""Runs of many cells: pictures are left out and said to be, numbers are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import PYTHON, RUNTIMES
from fairness.large_run import large_run
from report.page.pages import page_of
from runfair.report.page import contents, variants
from runfair.report.page.contents import Contents

BENCHMARKS = 30  # more than a picture has rows
KINDS = 10  # relative CPU time, completion time and memory of three kinds; start-up of one


def of_many() -> Contents:
    run = large_run(BENCHMARKS)
    short = {cell.id for cell in run.plan.cells if cell.mode == "cold"}
    kept = tuple(one for one in run.executions if one.cell in short)
    return page_of(replace(run, executions=kept))


def test_what_a_picture_has_no_room_for_goes_on_in_the_next() -> None:
    page = of_many()
    section = next(one for one in page.sections if one.name == "variants")
    assert len(section.pictures) == 2 * KINDS
    assert section.notes == ()


def test_every_kind_has_its_first_part_and_what_is_left_out_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(variants, "MOST_PICTURES", KINDS + 3)
    page = of_many()
    section = next(one for one in page.sections if one.name == "variants")
    assert len(section.pictures) == KINDS + 3
    assert sum("(1 of 2)" in one.title for one in section.pictures) == KINDS
    assert f"{KINDS - 3} more pictures, which show further workloads" in section.notes[0]
    rows = [row.cells[0] for one in page.tables for row in one.rows]
    assert rows.count(PYTHON.name) >= 3 * BENCHMARKS


def test_a_section_says_that_it_shows_the_first_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST_PICTURES", 2)
    run = large_run(3)
    for number, runtime in enumerate(RUNTIMES):
        run = run.with_variant(runtime.name, family="toy", version=str(number), runtime=str(number))
    section = next(one for one in page_of(run).sections if one.name == "versions")
    assert len(section.pictures) == 2
    assert "This section shows only its first 2 pictures." in section.notes[0]
