"""The records of a run as datasets: executions, iterations, and figures for lines of source."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.export.dataset import Dataset, Row, Type
from runfair.fairness.figures import execution_value
from runfair.formats.source_lines import lines_of
from runfair.result.judged_run import JudgedRun

EXECUTIONS: dict[str, Type] = {
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
"""The columns of executions. `value` is the recorded value, whatever the verdict is. The verdict of
the cell's figure has its own column.
"""


def executions(run: JudgedRun) -> Dataset:
    """The value that each execution contributes to each figure. Every interval is computed from
    these values. A failed execution has the reason of failure.
    """
    return Dataset("executions", EXECUTIONS, lambda: _of_executions(run))


def _of_executions(run: JudgedRun) -> Iterator[Row]:
    for cell, seen in run.cells():
        for one in seen.executions:
            record = one.record
            known = (run.result.run, cell.id, record.id, record.role, record.block)
            outcome = (record.position, record.outcome.state, record.outcome.reason or None)
            for name, figure in cell.figures.items():
                value = execution_value(one, name)
                yield (*known, *outcome, name, figure.unit, value, figure.verdict)


ITERATIONS: dict[str, Type] = {
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
"""The columns of iterations. `steady` is empty if no steady state was found, or if the detector did
not run. The verdicts are those of the cell.
"""


def iterations(run: JudgedRun) -> Dataset:
    """Every iteration as it was measured. The warm-up is included and marked. Services have no
    iterations: their latencies are in interval logs and, by window, in `warm-up.csv`.
    """
    return Dataset("iterations", ITERATIONS, lambda: _of_iterations(run))


def _of_iterations(run: JudgedRun) -> Iterator[Row]:
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


LINES: dict[str, Type] = {
    "run": "VARCHAR",
    "cell": "VARCHAR",
    "variant": "VARCHAR",
    "path": "VARCHAR",
    "source_sha256": "VARCHAR",
    "line": "BIGINT",
    "text": "VARCHAR",
    "name": "VARCHAR",
    "unit": "VARCHAR",
    "value": "DOUBLE",
    "least": "DOUBLE",
    "greatest": "DOUBLE",
    "executions": "BIGINT",
    "verdict": "VARCHAR",
    "reason": "VARCHAR",
}
"""The columns of lines of source. A void series has a single row, which has no line but the
reason."""


def lines(run: JudgedRun) -> Dataset:
    """The figures for lines of source, with the text of each line. For each variant there is the
    mean over the executions that reported lines, and the range of their values.
    """
    return Dataset("lines", LINES, lambda: _of_lines(run))


def _of_lines(run: JudgedRun) -> Iterator[Row]:
    for cell, seen in run.cells():
        texts = {
            told.text_sha256: lines_of(told.text)
            for one in seen.reported_lines
            for told in one.lines
        }
        for series in cell.lines:
            text = texts[series.source_sha256]
            known = (run.result.run, cell.id, cell.variant, series.path, series.source_sha256)
            what = (series.name, series.unit)
            judged = (series.executions, series.verdict, series.reason or None)
            if not series.lines:
                yield (*known, None, None, *what, None, None, None, *judged)
            for number, one in series.lines.items():
                values = (one.value, one.least, one.greatest)
                yield (*known, number, text[number - 1], *what, *values, *judged)
