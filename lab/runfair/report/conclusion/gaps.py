"""Cells without an answer, and why.

A cell that cannot be run here owes none, nor does one whose program was ended by a limit that the
experiment states. One that failed to build does: the reason passes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from runfair.evidence.run import CellEvidence, ExecutionEvidence, RunEvidence
from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult
from runfair.report.conclusion.naming import listed, names_of


def limited(evidence: RunEvidence) -> frozenset[str]:
    """Cells of which nothing but a stated limit ended every execution."""
    return frozenset(
        one.cell.id
        for one in evidence.cells
        if one.failed
        and not one.completed
        and all(_at_limit(one, execution) for execution in one.failed)
    )


def _at_limit(one: CellEvidence, execution: ExecutionEvidence) -> bool:
    cell, record = one.cell, execution.record
    if cell.limit_seconds is not None and record.outcome.reason == cell.too_long:
        return True
    memory = cell.factors.memory_limit_bytes is not None
    return memory and record.launch.outcome.state == "memory_exceeded"


def unanswered(
    cells: Iterable[CellResult], figures: Collection[FigureName], limits: Collection[str]
) -> list[CellResult]:
    """Those of which none of these figures stands, though one should."""
    return [
        cell
        for cell in cells
        if not cell.unsupported and cell.id not in limits and not _stands(cell, figures)
    ]


def _stands(cell: CellResult, figures: Collection[FigureName]) -> bool:
    """A void figure has no value."""
    return any(one is not None and one.value is not None for one in map(cell.figures.get, figures))


def why(cells: Sequence[CellResult], figures: Collection[FigureName]) -> str:
    """A sentence about cells that are unanswered: who, and why the first of them, in brief."""
    reason = cells[0].absent or re.split(r"; | \(", fault(cells[0], figures))[0]
    return f"No answer for {who(cells)}: {reason or 'not measured'}."


def who(cells: Sequence[CellResult]) -> str:
    names = names_of(cells)
    return listed(list(dict.fromkeys(names[cell.id] for cell in cells)))


def fault(cell: CellResult, figures: Collection[FigureName]) -> str:
    """What the first fault says of these figures; empty where there is none."""
    faults = (
        finding.text
        for name in figures
        if (figure := cell.figures.get(name)) is not None
        for finding in figure.findings
        if finding.severity == "fault"
    )
    return next(faults, "")
