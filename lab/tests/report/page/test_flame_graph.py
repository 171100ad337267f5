"""The flame graph of bytecodes."""

from __future__ import annotations

from itertools import pairwise

import pytest
import vl_convert

from runfair.formats.probe import FrameKind, FrameShare, ProbeTable
from runfair.report.page.flame_graph import flame_graph
from runfair.report.page.picture import Judgement, complete, rows


def box(kind: FrameKind, name: str, below: int | None, share: float) -> FrameShare:
    path = "/app/main.py" if kind in ("function", "line") else ""
    return FrameShare(kind=kind, name=name, path=path, below=below, share=share)


FRAMES = [
    box("part", "interpreter", None, 0.9),
    box("function", "work", 0, 0.9),
    box("line", "3", 1, 0.7),
    box("bytecode", "BINARY_OP", 2, 0.5),
    box("bytecode", "LOAD_FAST", 2, 0.2),
    box("line", "9", 1, 0.2),
    box("bytecode", "CALL", 5, 0.2),
    box("part", "outside the interpreter", None, 0.1),
]
JUDGED = Judgement("fair", {"fair": len(FRAMES), "flagged": 0, "void": 0}, ())


@pytest.fixture
def table() -> ProbeTable:
    return ProbeTable(
        runtime="cpython",
        version="3.13.0",
        processes=[],
        cpu_ns=1,
        executions=1,
        bytecodes=[],
        frames=FRAMES,
    )


def test_each_box_lies_within_the_box_below_it(table: ProbeTable) -> None:
    picture = flame_graph("sudoku", table, JUDGED, "From a test.")
    drawn = rows(picture.data["frames"])
    assert [one["name"] for one in drawn][2:5] == ["main.py:3", "BINARY_OP", "LOAD_FAST"]
    assert {one["level"] for one in drawn} == {"part", "function", "line", "bytecode"}
    for frame, one in zip(FRAMES, drawn, strict=True):
        begin, end = one["from"], one["to"]
        assert isinstance(begin, float | int) and isinstance(end, float | int)
        assert end - begin == pytest.approx(100 * frame.share)
        if frame.below is not None:
            below = drawn[frame.below]
            assert below["from"] <= begin and end <= below["to"]  # type: ignore[operator]
    levels = [[one for one in drawn if one["level"] == level] for level in ("part", "bytecode")]
    for level in levels:
        for left, right in pairwise(level):
            assert left["to"] <= right["from"]  # type: ignore[operator]


def test_the_table_has_the_bytecodes_with_what_they_lie_on(table: ProbeTable) -> None:
    picture = flame_graph("sudoku", table, JUDGED, "From a test.")
    assert [row.cells for row in picture.table.rows] == [
        ("BINARY_OP ← main.py:3 ← work ← interpreter", "50.0%"),
        ("LOAD_FAST ← main.py:3 ← work ← interpreter", "20.0%"),
        ("CALL ← main.py:9 ← work ← interpreter", "20.0%"),
    ]
    assert "CPython's thread state" in picture.caption


def test_the_caption_says_which_callers_are_missing(table: ProbeTable) -> None:
    without = table.model_copy(update={"no_call_paths": "no call paths: none in node 20"})
    captions = [
        flame_graph("sudoku", one, JUDGED, "From a test.").caption
        for one in (table, without, with_path("main", "[truncated]", "work"))
    ]
    assert ["No call paths: none in node 20." in one for one in captions] == [False, True, False]
    assert ["the call path from" in one for one in captions] == [True, False, True]
    assert ["The box [truncated]" in one for one in captions] == [False, False, True]


def with_path(*functions: str) -> ProbeTable:
    frames = [box("part", "interpreter", None, 1)]
    for name in functions:
        frames.append(box("function", name, len(frames) - 1, 1))
    frames.append(box("bytecode", "CALL", len(frames) - 1, 1))
    return ProbeTable(
        runtime="cpython",
        version="3.13.0",
        processes=[],
        cpu_ns=1,
        executions=1,
        bytecodes=[],
        frames=frames,
    )


def test_a_call_path_is_as_high_as_it_is_deep() -> None:
    picture = flame_graph("sudoku", with_path("main", "solve", "fits"), JUDGED, "From a test.")
    drawn = rows(picture.data["frames"])
    assert [(one["name"], one["depth"], one["top"]) for one in drawn] == [
        ("interpreter", 0, 1),
        ("main", 1, 2),
        ("solve", 2, 3),
        ("fits", 3, 4),
        ("CALL", 4, 5),
    ]
    (row,) = picture.table.rows
    assert row.cells[0] == "CALL ← fits ← solve ← main ← interpreter"
    (deep,) = flame_graph("a", with_path(*["solve"] * 40), JUDGED, "From a test.").table.rows
    assert "… 30 more …" in deep.cells[0] and deep.cells[0].count("solve") == 10


def test_it_is_drawn(table: ProbeTable) -> None:
    picture = flame_graph("sudoku", table, JUDGED, "From a test.")
    spec = {**complete(picture.spec, picture.data), "width": 900}
    drawn = vl_convert.vegalite_to_svg(spec)
    assert "BINARY_OP" in drawn and "outside t…" in drawn
    # LOAD_FAST and CALL fit too.
    assert "LOAD_FAST" in drawn and "CALL" in drawn
