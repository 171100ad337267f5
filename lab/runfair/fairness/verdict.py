"""From findings to the verdict of each figure by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runfair.fairness.checks import CHECKS
from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import figures_of
from runfair.formats.finding import CellVerdicts, FigureName, Finding, Verdict, VerdictFile
from runfair.formats.plan import Mode


def judge(run: RunEvidence) -> VerdictFile:
    """The verdicts of a run: every check is asked, and none can undo what another found."""
    findings = [finding for check in CHECKS for finding in check.check(run)]
    return VerdictFile(
        checks={check.NAME: check.VERSION for check in CHECKS},
        cells=[verdicts(one.cell.id, findings, one.cell.mode) for one in run.cells],
        run=[finding for finding in findings if finding.cell is None],
    )


def verdicts(cell: str, findings: Sequence[Finding], mode: Mode = "steady") -> CellVerdicts:
    """A cell's verdicts: its own findings, and the run's where they are more than a limitation,
    each of the figures that a cell of its mode has."""
    figures = figures_of(mode)
    mine = [
        finding.model_copy(update={"figures": [one for one in finding.figures if one in figures]})
        for finding in findings
        if finding.cell == cell or (finding.cell is None and finding.severity != "limitation")
    ]
    return CellVerdicts(cell=cell, figures={figure: _verdict(figure, mine) for figure in figures})


def _verdict(figure: FigureName, findings: Iterable[Finding]) -> Verdict:
    mine = [finding for finding in findings if figure in finding.figures]
    severities = {finding.severity for finding in mine}
    if "fault" in severities:
        return Verdict(state="void", findings=mine)
    if "warning" in severities:
        return Verdict(state="flagged", findings=mine)
    return Verdict(state="fair", findings=mine)
