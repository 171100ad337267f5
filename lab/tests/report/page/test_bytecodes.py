"""Bytecodes on the page: the table, and the pictures of a probed execution."""

from __future__ import annotations

from evidence.honest_run import PYTHON, cell_id, honest_run
from runfair.fairness.verdict import judge
from runfair.formats.estimate import Estimate
from runfair.formats.probe import (
    BytecodeCost,
    CountedPair,
    FrameShare,
    LineShare,
    ProbedResult,
    ProbeTable,
    SlowRequestLines,
)
from runfair.report.page import bytecodes
from runfair.report.page.contents import Contents, contents
from runfair.report.page.page_input import PageInput
from runfair.report.page.picture import rows
from runfair.result.run import assemble

ADD = BytecodeCost(name="ADD", family="ADD", executions=1_234)
USUAL = ("bytecode", "executions", "CPU time", "each", "cycles", "hottest lines")


def table(*costs: BytecodeCost) -> ProbeTable:
    return ProbeTable(
        runtime="cpython",
        version="3.13.0",
        processes=[],
        cpu_ns=1,
        executions=1,
        bytecodes=list(costs),
    )


def test_only_measured_columns_are_shown() -> None:
    counted = ADD.model_copy(update={"instructions": Estimate(value=30, low=29, high=31)})
    assert bytecodes._table("Python", table(ADD)).columns == USUAL
    shown = bytecodes._table("Python", table(ADD, counted))
    assert shown.columns == (*USUAL[:-1], "instructions", USUAL[-1])
    assert [row.cells[1] for row in shown.rows] == ["1,234", "1,234"]
    assert [row.cells[5] for row in shown.rows] == ["", "30.0 ±1.00"]


def test_the_reason_for_missing_lines_is_given() -> None:
    unknown = table(ADD).model_copy(update={"no_lines": "the probe does not know CPython 3.15"})
    (note,) = bytecodes._table("Python", unknown).notes
    assert note == "The source lines are unknown, because the probe does not know CPython 3.15."
    assert bytecodes._table("Python", table(ADD)).notes == ()


def box(name: str) -> FrameShare:
    return FrameShare(kind="function", name=name, path="/a.py", below=None, share=1.0)


def probed_page(probed: ProbedResult) -> Contents:
    """The page of an honest run in which one cell was also executed under the probe."""
    evidence = honest_run().evidence()
    result = assemble("run", evidence, judge(evidence))
    cells = [
        cell.model_copy(update={"probed": [probed]}) if cell.id == cell_id(PYTHON) else cell
        for cell in result.cells
    ]
    return contents(PageInput(evidence, result.model_copy(update={"cells": cells})))


def test_a_probed_execution_has_a_picture_of_each_kind() -> None:
    costly = ADD.model_copy(update={"share": Estimate(value=0.6, low=0.5, high=0.7)})
    of_all = table(costly).model_copy(
        update={
            "frames": [box("usual"), box("rare")],
            "pairs": [CountedPair(first="ADD", second="ADD", executions=9)],
        }
    )
    line = LineShare(path="/a.py", line=7, function="f", share=1.0, bytecodes={"ADD": 1.0})
    slow = SlowRequestLines(
        requests=4, from_ns=50_000_000, samples=200, lines=[line], frames=[box("slowest")]
    )
    page = probed_page(ProbedResult(execution="e1", verdict="fair", tables=[of_all], slow=slow))
    titles = [one.title for one in page.pictures if "cpython 3.13.0" in one.title]
    kinds = [title.split("cpython 3.13.0")[1] for title in titles]
    assert kinds == [
        " · bytecodes",
        " · flame graph",
        " · slowest requests · flame graph",
        " · pairs",
    ]
    graph, of_slow = (
        next(one for one in page.pictures if one.title.endswith(f"3.13.0{kind}"))
        for kind in kinds[1:3]
    )
    assert graph.data["frames"]["name"] == ["usual", "rare"]
    assert of_slow.data["frames"]["name"] == ["slowest"]
    assert graph.judgement.counts["fair"] == 2 and of_slow.judgement.counts["fair"] == 1
    assert "only the 200 samples taken during the slowest 4 requests" in of_slow.caption


def test_bytecodes_without_samples_have_a_picture_of_their_executions() -> None:
    page = probed_page(ProbedResult(execution="e1", verdict="fair", tables=[table(ADD)]))
    (shown,) = (one for one in page.pictures if "cpython 3.13.0" in one.title)
    assert rows(shown.data["bytecodes"]) == [
        {"bytecode": "ADD", "count": 1_234, "executions": "1,234"}
    ]
    assert "Its CPU time is unknown, because the probe took no samples." in shown.caption


def test_a_void_probe_has_no_picture() -> None:
    page = probed_page(ProbedResult(execution="e1", verdict="void", reason="other work"))
    assert not [one for one in page.pictures if "cpython 3.13.0" in one.title]
