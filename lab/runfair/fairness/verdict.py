"""The verdict of each figure, from the findings of all checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.bounds import bounds
from runfair.fairness.checks import CHECKS
from runfair.fairness.figures import figures_of, those_of
from runfair.formats.finding import CellVerdicts, FigureName, Finding, Verdict, VerdictFile

NOTHING = (None, None)


def judge(run: RunEvidence) -> VerdictFile:
    """The verdicts of a run. Every check runs, and no check can cancel the finding of another."""
    findings = [finding for check in CHECKS for finding in check.check(run)]
    return VerdictFile(
        checks={check.NAME: check.VERSION for check in CHECKS},
        cells=[verdicts(one, findings) for one in run.cells],
        run=[finding for finding in findings if finding.cell is None],
    )


def verdicts(evidence: CellEvidence, findings: Sequence[Finding]) -> CellVerdicts:
    """The verdicts of a cell's figures, from its own findings and from the run's warnings and
    faults."""
    cell = evidence.cell
    mine = [
        finding.model_copy(update={"figures": those_of(cell, finding.figures)})
        for finding in findings
        if finding.cell == cell.id or (finding.cell is None and finding.severity != "limitation")
    ]
    figures = {figure: _verdict(evidence, figure, mine) for figure in figures_of(cell)}
    return CellVerdicts(cell=cell.id, figures=figures)


def _verdict(evidence: CellEvidence, figure: FigureName, findings: Iterable[Finding]) -> Verdict:
    """The verdict of a figure. A figure is `void` if a fault has no direction, or if faults leave
    it unbounded on both sides. A figure with bounds is `flagged`."""
    mine = [finding for finding in findings if figure in finding.figures]
    faults = [finding for finding in mine if finding.severity == "fault"]
    if any(finding.effect is None for finding in faults):
        return Verdict(state="void", findings=mine)
    found = bounds(evidence, figure, mine)
    if faults and found in (None, NOTHING):
        return Verdict(state="void", findings=mine)
    warned = any(finding.severity == "warning" for finding in mine)
    return Verdict(
        state="flagged" if warned or found is not None else "fair",
        bounds=None if found == NOTHING else found,
        findings=mine,
    )
