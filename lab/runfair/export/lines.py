"""Figures for lines of source, with the lines themselves: of each variant the mean of the
executions that told, and their range."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.export.dataset import Dataset, Row, Type
from runfair.formats.source_lines import lines_of
from runfair.result.judged_run import JudgedRun

COLUMNS: dict[str, Type] = {
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
"""A void series is one row without a line, with the reason."""


def lines(run: JudgedRun) -> Dataset:
    return Dataset("lines", COLUMNS, lambda: _rows(run))


def _rows(run: JudgedRun) -> Iterator[Row]:
    for cell, seen in run.cells():
        texts = {
            told.text_sha256: lines_of(told.text) for one in seen.told_lines for told in one.lines
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
