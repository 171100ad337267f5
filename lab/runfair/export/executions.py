"""What each execution contributes to each figure: the numbers behind every interval, and of
executions that failed the reason."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.export.dataset import Dataset, Row, Type
from runfair.fairness.figures import execution_value
from runfair.result.judged_run import JudgedRun

COLUMNS: dict[str, Type] = {
    "run": "VARCHAR",
    "cell": "VARCHAR",
    "execution": "VARCHAR",
    "role": "VARCHAR",
    "block": "BIGINT",
    "position": "BIGINT",
    "outcome": "VARCHAR",
    "reason": "VARCHAR",
    "figure": "VARCHAR",
    "unit": "VARCHAR",
    "value": "DOUBLE",
    "verdict": "VARCHAR",
}
"""`value` is what was recorded, whatever the verdict of the cell's figure, which stands beside."""


def executions(run: JudgedRun) -> Dataset:
    return Dataset("executions", COLUMNS, lambda: _rows(run))


def _rows(run: JudgedRun) -> Iterator[Row]:
    for cell, seen in run.cells():
        for one in seen.executions:
            record = one.record
            known = (run.result.run, cell.id, record.id, record.role, record.block)
            outcome = (record.position, record.outcome.state, record.outcome.reason or None)
            for name, figure in cell.figures.items():
                value = execution_value(one, name)
                yield (*known, *outcome, name, figure.unit, value, figure.verdict)
