"""What the checks found, gathered under a table: each finding said once."""

from __future__ import annotations

from dataclasses import dataclass, field

from runfair.formats.finding import Finding
from runfair.wording.naming import name_of
from runfair.wording.text import plain

SEVERITY_WORDS = {"fault": "void", "warning": "flagged", "limitation": "limitation"}
BOUNDED = "bounded"
SAID_AT_MOST = 3  # different wordings of one finding in a note


def consequence(finding: Finding) -> str:
    """What a finding does to its figures, in a word. A fault with a direction leaves a bound."""
    bounds = finding.severity == "fault" and finding.effect is not None
    return BOUNDED if bounds else SEVERITY_WORDS[finding.severity]


@dataclass
class Notes:
    """Findings gathered under one table: each said once, with the variants it concerns."""

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
        """What cannot be established, or is noted: no figure suffers, but it is said."""
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
                parts[SAID_AT_MOST:] = [f"and {more} more, see verdict.json"]
            said = "; ".join(parts)
            advice = f" — {finding.advice}" if finding.advice else ""
            lines.append(
                f"({number}) {consequence(finding)} [{finding.check}] {figures}: {said}{advice}"
            )
        lines += [f"limitation {', '.join(named)}: {text}" for text, named in self.limits.items()]
        return [plain(line) for line in lines]
