"""Curves of iterations: every execution, its extremes, and where it became steady."""

from __future__ import annotations

import numpy as np
import pytest

from evidence.honest_run import GO, JAVA, RUNTIMES, cell_id, honest_run
from evidence.records import EXECUTIONS, Series
from report.page import pages
from runfair.report.page import iterations


def titled(runtime: str) -> str:
    return f"sudoku · balanced · small · steady · 1 thread · {runtime}"


def test_one_a_steady_cell_with_every_execution() -> None:
    page = pages.page_of(honest_run())
    section = next(one for one in page.sections if one.name == "iterations")
    assert len(section.pictures) == 2 * len(RUNTIMES)
    java = pages.picture(page, titled(JAVA.name))
    assert set(java.data["curve"]["run"]) == set(range(1, EXECUTIONS + 1))
    assert [row.cells[6] for row in java.table.rows] == ["iteration 12"] * EXECUTIONS
    assert list(java.data["points"]["x"]) == [12] * EXECUTIONS
    parts = set(zip(java.data["curve"]["x"], java.data["curve"]["part"], strict=True))
    assert (11, "before") in parts
    assert (12, "steady") in parts
    assert (12, "before") not in parts


def test_an_outlier_among_a_hundred_thousand_is_drawn() -> None:
    def long(_: Series) -> Series:
        wall_ns = np.full(100_000, 10**6)
        wall_ns[77_777] = 10**9
        return wall_ns, wall_ns

    page = pages.page_of(honest_run().with_series(cell_id(GO), long))
    curve = pages.picture(page, titled(GO.name)).data["curve"]
    assert len(curve["x"]) <= iterations.MOST_POINTS
    assert (77_777, 10**9) in set(zip(curve["x"], curve["y"], strict=True))


def test_a_void_cell_says_that_its_curve_is_no_result() -> None:
    page = pages.page_of(honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.9))
    go = pages.picture(page, titled(GO.name))
    assert go.judgement.state == "flagged"  # others' use of the processors leaves CPU time standing
    void = pages.page_of(honest_run().with_records(cell_id(GO), digest="f" * 16))
    assert pages.picture(void, titled(GO.name)).caption.endswith(iterations.VOID)


def test_a_page_has_room_for_so_many_and_says_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(iterations, "MOST_PICTURES", 3)
    page = pages.page_of(honest_run())
    section = next(one for one in page.sections if one.name == "iterations")
    # Those that warm up come before those that are flat at once.
    assert [JAVA.name in one.title for one in section.pictures] == [True, True, False]
    assert "leaves out the curves of 5 more programs" in section.notes[-1]
