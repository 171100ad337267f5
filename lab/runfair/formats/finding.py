"""What a fairness check saw, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Record, Scalar

Severity = Literal["limitation", "warning", "fault"]
VerdictState = Literal["fair", "flagged", "void"]
Effect = Literal["longer", "shorter", "either"]
# `cpu`, `p99`, or a percentile of a distribution: `lateness.p99`. What a finding names may also be
# a group of figures: `all`, `timed`, `elapsed` (runfair.fairness.figures).
FigureName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z0-9_]+)?$")]


class Finding(Record):
    """`limitation` is noted, `warning` flags the figures it names, `fault` voids them, or bounds
    them if it has an `effect`.

    `cell` None speaks of the whole run. `figures` are those concerned, by name
    or by group. `text` is one sentence
    with the measured values in it, `advice` what to do about it. `effect` is what the doubt can
    have done to the figures as measured: made them longer (greater) or shorter than they truly
    are; None if it is no matter of size, as with a wrong answer. `size` is by how much at most,
    as a share of the greater of the two; None if that is not known, or each execution tells it
    by itself (runfair.fairness.bounds).
    """

    check: str
    severity: Severity
    cell: str | None
    figures: list[FigureName]
    text: str
    advice: str = ""
    values: dict[str, Scalar] = {}
    effect: Effect | None = None
    size: Annotated[float, Field(ge=0, lt=1)] | None = None


class Verdict(Record):
    """The verdict of one figure of one cell, with the findings that led to it. `bounds`: the true
    figure lies between them, sampling and doubts together; None on a side that nothing bounds. The
    field is None if no doubt has a direction."""

    state: VerdictState
    bounds: tuple[float | None, float | None] | None = None
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


def worst(states: Sequence[VerdictState]) -> VerdictState:
    """The worst of several verdicts."""
    order: tuple[VerdictState, ...] = ("void", "flagged")
    for state in order:
        if state in states:
            return state
    return "fair"
