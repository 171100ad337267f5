"""A recorded run with its verdicts. The run is read and judged once for all exports; no file is
written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runfair.evidence.cell import CellEvidence
from runfair.evidence.reading import evidence_of
from runfair.evidence.run import RunEvidence
from runfair.fairness.verdict import judge
from runfair.formats.finding import FigureName, Finding, VerdictFile
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.formats.run_folder import RunFolder
from runfair.result.run import assemble
from runfair.wording.naming import name_of
from runfair.wording.text import plain


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run's evidence, its verdicts and its result."""

    evidence: RunEvidence
    judged: VerdictFile
    result: RunResult

    @classmethod
    def read(cls, folder: RunFolder) -> JudgedRun:
        """The run in a folder. Raises UserMistake if this version of runfair cannot read the
        folder."""
        return cls.of(folder.path.resolve().name, evidence_of(folder))

    @classmethod
    def of(cls, name: str, evidence: RunEvidence) -> JudgedRun:
        judged = judge(evidence)
        return cls(evidence, judged, assemble(name, evidence, judged))

    def cells(self) -> Iterator[tuple[CellResult, CellEvidence]]:
        """The cells that could run here, with their evidence."""
        seen = {one.cell.id: one for one in self.evidence.cells}
        for cell in self.result.cells:
            if cell.id in seen:
                yield cell, seen[cell.id]

    def left_out(self) -> list[str]:
        """A line for each figure without a number, with the reason. This line is for formats that
        cannot represent such a figure."""
        return [
            f"{plain(cell.id)} {name_of(name)}: {_why(figure)}"
            for cell in self.result.cells
            for name, figure in cell.figures.items()
            if figure.value is None
        ]


def worst_findings(figure: Figure) -> list[Finding]:
    """The findings that decided a figure's verdict."""
    order = ("fault", "warning") if figure.verdict != "fair" else ()
    for wanted in order:
        if found := [finding for finding in figure.findings if finding.severity == wanted]:
            return found
    return []


def said(figure: Figure) -> str:
    """All findings of a figure in one line."""
    return plain("; ".join(f"[{one.check}] {one.text}" for one in figure.findings))


def figures_of(cell: CellResult) -> Iterator[tuple[FigureName, Figure]]:
    """The figures of a cell that have a number."""
    for name, figure in cell.figures.items():
        if figure.value is not None:
            yield name, figure


def _why(figure: Figure) -> str:
    found = worst_findings(figure)
    if figure.verdict == "void" and found:
        return plain(f"void [{found[0].check}]: {found[0].text}")
    return figure.verdict if figure.verdict == "void" else "not measured"
