"""What a fairness check saw, and the verdict that follows."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record, Scalar

Severity = Literal["limitation", "warning", "fault"]
VerdictState = Literal["fair", "flagged", "void"]
FigureName = Literal[
    "wall", "cpu", "memory", "p50", "p90", "p99", "p99_9", "p99_99", "max", "start", "first", "work"
]


class Finding(Record):
    """`limitation` is noted, `warning` flags the figures it names, `fault` voids them.

    `cell` None speaks of the whole run. `figures` are those concerned. `text` is one sentence
    with the measured values in it, `advice` what to do about it.
    """

    check: str
    severity: Severity
    cell: str | None
    figures: list[FigureName]
    text: str
    advice: str = ""
    values: dict[str, Scalar] = {}


class Verdict(Record):
    """Of one figure of one cell, with the findings that led to it."""

    state: VerdictState
    findings: list[Finding] = []


class CellVerdicts(Record):
    cell: str
    figures: dict[FigureName, Verdict]


class VerdictFile(Record):
    """`verdict.json`: derived and recomputable, with the version of each check."""

    schema_version: Literal[1] = 1
    checks: dict[str, int]
    cells: list[CellVerdicts]
    run: list[Finding]
