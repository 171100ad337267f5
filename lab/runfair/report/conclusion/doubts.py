"""What speaks most against the answers: findings about the figures that they rest on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from runfair.fairness.checks import executions, failures
from runfair.formats.finding import Finding
from runfair.formats.result import CellResult, RunResult
from runfair.report.conclusion.naming import names_of
from runfair.report.conclusion.question import Concern

MOST = 2


@dataclass
class _Doubt:
    """One check's findings of one severity, over all cells."""

    findings: list[tuple[CellResult, Finding]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """Failed executions come first: what is left is the failure's choice. Then the more severe,
        what concerns more figures, and the greater."""
        worst = self.worst[1]
        return (
            worst.check != failures.NAME,
            worst.severity != "fault",
            -len(self.findings),
            -_size(worst),
        )

    @property
    def worst(self) -> tuple[CellResult, Finding]:
        return max(self.findings, key=lambda one: _size(one[1]))

    def text(self, names: Mapping[str, str]) -> str:
        cell, finding = self.worst
        if finding.cell is None:
            return finding.text
        cells = {one.id for one, _ in self.findings}
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        return f"{names[cell.id]}{more}: {finding.text}"


def doubts(result: RunResult, concerns: Collection[Concern]) -> tuple[str, ...]:
    """The two that matter most of those about the figures of `concerns`, a line each."""
    asked = set(concerns)
    found: dict[tuple[str, str], _Doubt] = {}
    for cell in result.cells:
        for name, figure in cell.figures.items():
            if (cell.id, name) not in asked:
                continue
            checks = {finding.check for finding in figure.findings}
            for finding in figure.findings:
                # Executions that failed are not also too few.
                twice = finding.check == executions.NAME and failures.NAME in checks
                if finding.severity != "limitation" and not twice:
                    doubt = found.setdefault((finding.check, finding.severity), _Doubt())
                    doubt.findings.append((cell, finding))
    ordered = sorted(found.values(), key=lambda one: one.rank)
    names = names_of(result.cells)
    return tuple(one.text(names) for one in ordered[:MOST])


def _size(finding: Finding) -> float:
    """The greatest number that the check found, whatever its unit."""
    return max(
        (float(one) for one in finding.values.values() if not isinstance(one, (bool, str))),
        default=0.0,
    )
