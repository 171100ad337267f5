"""The table of bytecodes on the page."""

from __future__ import annotations

from runfair.formats.estimate import Estimate
from runfair.formats.probe import BytecodeCost, ProbeTable
from runfair.report.page import bytecodes

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
