"""The pictures of native programs' instructions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
import vl_convert

from runfair.formats.instructions import (
    FunctionInstructions,
    InstructionTable,
    IterationInstructions,
    LineInstructions,
)
from runfair.formats.probe import ProbedResult
from runfair.report.page import native_instructions
from runfair.report.page.native_instructions import instruction_pictures
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Picture, complete

TABLE = InstructionTable(
    valgrind="3.19.0",
    instructions=1_000,
    functions=[
        FunctionInstructions(
            function="solve(Grid&)",
            object="/program",
            instructions=900,
            share=0.9,
            lines=[LineInstructions(path="/src/sudoku.cpp", line=52, share=0.25)],
        ),
        FunctionInstructions(function="", object="/lib/libc.so.6", instructions=100, share=0.1),
    ],
)
COUNTED = IterationInstructions(iterations=1, outside=70, iteration=TABLE)


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Picture]:
    """The pictures of a native program, and of a program that was probed otherwise."""
    monkeypatch.setattr(native_instructions, "workload", lambda _: "sudoku")
    monkeypatch.setattr(native_instructions, "condition_text", lambda _: "steady")
    probed = [
        ProbedResult(execution="e1", verdict="flagged", reason="no answer", instructions=COUNTED),
        ProbedResult(execution="e2", verdict="fair"),
    ]
    result = SimpleNamespace(cells=[SimpleNamespace(probed=probed)])
    legend = SimpleNamespace(series=lambda _: SimpleNamespace(name="C++"))
    page_input = cast(PageInput, SimpleNamespace(result=result))
    return list(instruction_pictures(page_input, cast(Legend, legend)))


def test_each_function_is_a_row_with_its_hottest_lines(pictures: list[Picture]) -> None:
    (picture,) = pictures
    assert picture.title == "C++ · sudoku · steady · instructions"
    assert [row.cells for row in picture.table.rows] == [
        ("solve(Grid&)", "900", "90.0%", "sudoku.cpp:52 25.0%"),
        ("libc.so.6", "100", "10.0%", ""),
    ]


def test_the_picture_says_that_valgrind_counted_and_what_it_counted(
    pictures: list[Picture],
) -> None:
    (picture,) = pictures
    assert "An iteration has 1,000 instructions, counted under valgrind 3.19.0" in picture.caption
    assert "a process executes 70 instructions" in picture.caption
    assert picture.judgement.counts == {"fair": 0, "flagged": 2, "void": 0}
    (explanation,) = picture.judgement.explanations
    assert explanation.found[1] == "no answer"


def test_the_picture_can_be_drawn(pictures: list[Picture]) -> None:
    (picture,) = pictures
    drawn = vl_convert.vegalite_to_svg(complete(picture.spec, picture.data))
    assert "solve(Grid&amp;)" in drawn
