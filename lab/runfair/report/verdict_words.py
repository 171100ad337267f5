"""The verdict of a row, in words: the worst of its figures, with the numbers of its notes."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.finding import worst
from runfair.formats.result import CellResult, Figure
from runfair.report.notes import Notes


def verdict_words(cell: CellResult, figures: Sequence[Figure], notes: Notes) -> str:
    """Notes every finding of the figures; those of the whole run are said above the tables."""
    name = cell.variant if cell.service is None else cell.service.service
    state = worst([figure.verdict for figure in figures])
    serious = [
        finding
        for figure in figures
        for finding in figure.findings
        if finding.severity != "limitation"
    ]
    numbers = {notes.number(name, one) for one in serious if one.cell is not None}
    for figure in figures:
        for finding in figure.findings:
            if finding.severity == "limitation" and finding.cell is not None:
                notes.limit(name, finding)
    words = [state, "".join(f"({number})" for number in sorted(numbers))]
    if any(one.cell is None for one in serious):
        words.append("(run)")
    if cell.failed:
        words.append(f"{cell.failed} of {cell.failed + cell.executions} failed")
    return " ".join(word for word in words if word)
