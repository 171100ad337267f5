"""The verdict beside a picture, with its explanation: what was found, why it matters, and what to
do.

The texts are the findings' own texts. The reason why a finding matters is the first sentence of the
check's description: the property that the check requires. docs/fairness.md is generated from the
same descriptions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from runfair.fairness.checks import CHECKS
from runfair.formats.finding import FigureName, Finding, Severity, VerdictState, worst
from runfair.formats.result import CellResult, Figure
from runfair.wording.naming import label, name_of, workload
from runfair.wording.text import brief

CONSEQUENCES: dict[Severity, str] = {
    "fault": (
        "The number does not mean what its name says. At best, it is a bound of the true value."
    ),
    "warning": "The number may mislead.",
    "limitation": "The number is valid; the finding is only a note.",
}
SAID_AT_MOST = 4  # different wordings of the same finding
_ADVICE = re.compile(r"\*\*What to do\*\*\s+(.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Explanation:
    """The findings of one check with one severity. `found` has the sentences of the findings, each
    with the name of the cell.
    """

    severity: Severity
    check: str
    figures: str
    found: tuple[str, ...]
    matters: str
    advice: str


@dataclass(frozen=True)
class Judgement:
    """The verdict on a picture. `counts` says how many of the picture's numbers have each verdict;
    void numbers are included."""

    state: VerdictState
    counts: dict[VerdictState, int]
    explanations: tuple[Explanation, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def judgement(cells: Sequence[CellResult], figures: Sequence[FigureName]) -> Judgement:
    """The judgement about these figures of these cells. Cells that failed or cannot run are not
    counted.
    """
    seen = [
        (cell, cell.figures[name])
        for cell in cells
        for name in figures
        if name in cell.figures and cell.executions + cell.failed
    ]
    return judged([figure.verdict for _, figure in seen], seen)


def judged(states: Sequence[VerdictState], seen: Sequence[tuple[CellResult, Figure]]) -> Judgement:
    """The judgement that follows from these verdicts and from the findings about these figures."""
    several = len({workload(cell) for cell, _ in seen}) > 1
    named = [
        (f"{label(cell)} ({workload(cell)})" if several else label(cell), finding)
        for cell, figure in seen
        for finding in figure.findings
    ]
    names: tuple[VerdictState, ...] = ("fair", "flagged", "void")
    counts: dict[VerdictState, int] = {state: states.count(state) for state in names}
    return Judgement(worst(states), counts, tuple(_explained(named)))


def _explained(named: Iterable[tuple[str, Finding]]) -> list[Explanation]:
    groups: dict[tuple[Severity, str, str], dict[str, list[str]]] = {}
    advice: dict[tuple[Severity, str, str], str] = {}
    for who, finding in named:
        if finding.severity == "limitation" and finding.cell is None:
            continue  # these findings are shown once, at the top of the page
        figures = ", ".join(name_of(one) for one in finding.figures)
        key = (finding.severity, finding.check, figures)
        members = groups.setdefault(key, {}).setdefault(brief(finding.text), [])
        if finding.cell is not None and who not in members:
            members.append(who)
        advice.setdefault(key, brief(finding.advice))
    order: tuple[Severity, ...] = ("fault", "warning", "limitation")
    return [
        Explanation(
            severity=key[0],
            check=brief(key[1]),
            figures=key[2],
            found=_sentences(texts),
            matters=f"{_property(key[1])} {CONSEQUENCES[key[0]]}".strip(),
            advice=advice[key] or _advice(key[1]),
        )
        for key, texts in sorted(groups.items(), key=lambda item: order.index(item[0][0]))
    ]


def _sentences(texts: dict[str, list[str]]) -> tuple[str, ...]:
    said = [f"{', '.join(who)}: {text}" if who else text for text, who in texts.items()]
    if len(said) > SAID_AT_MOST:
        said[SAID_AT_MOST:] = [f"and {len(said) - SAID_AT_MOST} more; see verdict.json"]
    return tuple(said)


@cache
def _page_of(check: str) -> str:
    return next((inspect.cleandoc(one.__doc__ or "") for one in CHECKS if check == one.NAME), "")


def _property(check: str) -> str:
    """The property that a check requires: the first sentence of the check's description."""
    title = _page_of(check).partition("\n")[0].replace("`", "")
    return f"What the check expects: {title[:1].lower()}{title[1:]}" if title else ""


def _advice(check: str) -> str:
    found = _ADVICE.search(_page_of(check))
    return " ".join(found[1].replace("`", "").split()) if found else ""
