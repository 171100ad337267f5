"""A table of values for programs to read, written as CSV or Parquet, and the tables of a run's
records: executions, iterations, and figures for lines of source."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

import duckdb

from runfair.fairness.figures import execution_value
from runfair.formats.source_lines import lines_of
from runfair.result.judged_run import JudgedRun
from runfair.wording.text import plain

Type = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
Value = str | int | float | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Dataset:
    """A table: its columns, each with its type in DuckDB, and its rows.

    The rows are produced anew whenever they are read, because there may be too many iterations to
    keep in memory. None is a missing value.
    """

    name: str
    columns: dict[str, Type]
    rows: Callable[[], Iterable[Row]]

    def write_csv(self, file: TextIO) -> None:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_text(value) for value in row] for row in self.rows())

    def csv(self) -> str:
        text = io.StringIO()
        self.write_csv(text)
        return text.getvalue()

    def records(self) -> Iterator[dict[str, Value]]:
        for row in self.rows():
            yield dict(zip(self.columns, row, strict=True))


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    # CSV allows a line feed in a field, but few readers of CSV accept it.
    return plain(value) if isinstance(value, str) else repr(value)


def write_parquet(dataset: Dataset, path: Path) -> None:
    """Writes the Parquet file through DuckDB, completely or not at all. Raises OSError if that
    fails.

    The rows go through a temporary CSV file, which DuckDB reads as a stream. Inserting the rows one
    by one takes a thousand times longer than this. A table in memory would hold all iterations of a
    run, and would need too much memory.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        source, made = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
        with source.open("w", encoding="utf-8", newline="") as file:
            dataset.write_csv(file)
        with duckdb.connect() as connection:
            rows = connection.read_csv(
                str(source),
                header=True,
                columns=dict(dataset.columns),
                auto_detect=False,
                delimiter=",",
                quotechar='"',
                escapechar='"',
            )
            rows.write_parquet(str(made), compression="zstd")
        made.replace(path)


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
    these values. For a failed execution, the reason of its failure is given.
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
"""The columns of lines of source. A void series has a single row, which has no line number,
but gives the reason."""


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
