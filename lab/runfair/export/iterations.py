"""Every iteration as it was measured, warm-up included and marked. Services have none: their
requests are in interval logs, and `warm-up.csv` has them window by window."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.export.dataset import Dataset, Row, Type
from runfair.result.judged_run import JudgedRun

COLUMNS: dict[str, Type] = {
    "run": "VARCHAR",
    "cell": "VARCHAR",
    "execution": "VARCHAR",
    "role": "VARCHAR",
    "iteration": "BIGINT",
    "wall_ns": "BIGINT",
    "cpu_ns": "BIGINT",
    "steady": "BOOLEAN",
    "wall_verdict": "VARCHAR",
    "cpu_verdict": "VARCHAR",
}
"""`steady` is empty where no steady state was looked for or found; the verdicts are the cell's."""


def iterations(run: JudgedRun) -> Dataset:
    return Dataset("iterations", COLUMNS, lambda: _rows(run))


def _rows(run: JudgedRun) -> Iterator[Row]:
    for cell, seen in run.cells():
        verdicts = tuple(
            cell.figures[name].verdict if name in cell.figures else None for name in ("wall", "cpu")
        )
        for one in seen.executions:
            known = (run.result.run, cell.id, one.record.id, one.record.role)
            start = one.steady.start if one.steady is not None else None
            for index, (wall_ns, cpu_ns) in enumerate(
                zip(one.wall_ns.tolist(), one.cpu_ns.tolist(), strict=True)
            ):
                steady = None if start is None else index >= start
                yield (*known, index, wall_ns, cpu_ns, steady, *verdicts)
