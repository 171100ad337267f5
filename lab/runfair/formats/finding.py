"""The findings of fairness checks, both the lab's and the load generator's, and the verdicts that
follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Record, Row, Scalar, row

Severity = Literal["limitation", "warning", "fault"]
VerdictState = Literal["fair", "flagged", "void"]
Effect = Literal["longer", "shorter", "either"]
# `cpu`, `p99`, or a percentile of a distribution: `lateness.p99`. A finding may also name a group
# of figures: `all`, `timed`, `elapsed` (runfair.fairness.figures).
FigureName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z0-9_]+)?$")]


class Finding(Record):
    """A finding of a check: a `limitation` is noted, a `warning` flags the figures it names, and a
    `fault` voids them. A fault with an `effect` bounds the figures instead.

    If `cell` is None, the finding is about the whole run. `figures` lists the figures concerned, by
    name or by group. `text` is a sentence with the measured values, `advice` says what to do.
    `effect` says in which direction the doubt can have changed the measured figures: greater or
    less than the true values. The effect is None if the doubt has no direction, for example a wrong
    answer. `size` is the largest possible effect, as a share of the greater of the measured and the
    true value. It is None if the size is unknown, or if each execution has its own limit
    (runfair.fairness.bounds).
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


@row
class Verdict(Row):
    """The verdict of one figure of one cell, with the findings that led to it. `bounds` enclose the
    true figure, with sampling error and doubts together; a bound is None if that side is open. The
    whole field is None if no doubt has a direction."""

    state: VerdictState
    bounds: tuple[float | None, float | None] | None = None
    findings: list[Finding] = field(default_factory=list)


class CellVerdicts(Record):
    cell: str
    figures: dict[FigureName, Verdict]


class VerdictFile(Record):
    """The file `verdict.json`: all findings and verdicts, with the version of each check. The file
    is derived from the records and can be recomputed."""

    schema_version: Literal[1] = 1
    checks: dict[str, int]
    cells: list[CellVerdicts]
    run: list[Finding]


class LoadFinding(Record):
    """A finding of one of the generator's checks. `figures` lists the figures concerned as paths
    into the result (`latency_ns.p99`). The list of figures is empty if the finding concerns the
    whole run."""

    check: str
    severity: Severity
    figures: list[str]
    message: str
    advice: str


class LoadVerdict(Record):
    state: VerdictState
    findings: list[LoadFinding]


def worst(states: Sequence[VerdictState]) -> VerdictState:
    """The worst of several verdicts."""
    order: tuple[VerdictState, ...] = ("void", "flagged")
    for state in order:
        if state in states:
            return state
    return "fair"
