"""Findings that several checks make: how severe an excess is, and a disturbance by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import ELAPSED, those_of
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.record import Scalar


def grade(value: float, *, warning: float, fault: float) -> Severity | None:
    """`warning` and `fault` are the greatest values that still pass each.

    A value that is not a number passes neither.
    """
    if not value <= fault:
        return "fault"
    if not value <= warning:
        return "warning"
    return None


QUIETEN = "quieten the machine: `./runfair calibrate`"


def disturbance(
    check: str,
    one: CellEvidence,
    severity: Severity,
    text: str,
    values: Mapping[str, Scalar] | None = None,
    figures: Iterable[FigureName] = ELAPSED,
) -> Finding:
    """On some figures of a cell; a limitation comes without advice, as nothing was seen to mend."""
    return Finding(
        check=check,
        severity=severity,
        cell=one.cell.id,
        figures=those_of(one.cell, figures),
        text=text,
        advice="" if severity == "limitation" else QUIETEN,
        values=dict(values or {}),
        effect="longer",
    )


def shares_processors(one: CellEvidence, run: RunEvidence) -> bool:
    """Whether the generator of a driven server runs where the server does."""
    lab = set(run.plan.lab_processors)
    return any(
        execution.record.driven and lab & set(execution.record.processors)
        for execution in one.completed
    )
