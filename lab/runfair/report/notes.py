"""The notes under a table: the findings of the checks, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from runfair.formats.finding import Finding, worst
from runfair.formats.result import CellResult, Figure
from runfair.wording.naming import label, name_of
from runfair.wording.text import plain

SAID_AT_MOST = 3  # the greatest number of different wordings of a finding in a note


@dataclass
class Notes:
    """The findings under a table. Each is written once, with the variants that it concerns."""

    numbers: dict[tuple[str, str, str], int] = field(default_factory=dict)
    members: list[list[tuple[str, Finding]]] = field(default_factory=list)
    limits: dict[str, list[str]] = field(default_factory=dict)

    def number(self, variant: str, finding: Finding) -> int:
        key = (finding.check, finding.severity, ",".join(finding.figures))
        if key not in self.numbers:
            self.numbers[key] = len(self.members) + 1
            self.members.append([])
        self.members[self.numbers[key] - 1].append((variant, finding))
        return self.numbers[key]

    def limit(self, variant: str, finding: Finding) -> None:
        """Add a limitation to the notes. The limitation has no effect on figures."""
        named = self.limits.setdefault(finding.text, [])
        if variant not in named:
            named.append(variant)

    def lines(self) -> list[str]:
        lines = []
        for number, members in enumerate(self.members, 1):
            finding = members[0][1]
            figures = ", ".join(name_of(figure) for figure in finding.figures)
            texts: dict[str, list[str]] = {}
            for variant, each in members:
                named = texts.setdefault(each.text, [])
                if variant not in named:
                    named.append(variant)
            parts = [f"{', '.join(named)}: {text}" for text, named in texts.items()]
            if len(parts) > SAID_AT_MOST:
                more = len(parts) - SAID_AT_MOST
                parts[SAID_AT_MOST:] = [f"verdict.json contains {more} more"]
            said = "; ".join(parts)
            advice = f" — {finding.advice}" if finding.advice else ""
            lines.append(
                f"({number}) {finding.severity} [{finding.check}] {figures}: {said}{advice}"
            )
        lines += [f"limitation {', '.join(named)}: {text}" for text, named in self.limits.items()]
        return [plain(line) for line in lines]


def verdict_words(cell: CellResult, figures: Sequence[Figure], notes: Notes) -> str:
    """The verdict of the figures in words. The findings about them are added to the notes. Findings
    about the whole run are not added, because they appear above the tables."""
    name = label(cell) if cell.served is None else cell.served.service
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
        words.append(f"{cell.failed} of {cell.failed + cell.executions} executions failed")
    return " ".join(word for word in words if word)
