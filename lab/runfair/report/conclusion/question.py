"""A question that a run answers: a sentence, a small table with short names, and the cells without
an answer.

Two kinds of cells need no answer: cells that cannot run on this machine, and cells whose program
was ended by a limit that the experiment states. A cell whose program failed to build needs an
answer, because the failure can be repaired.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import CHECKS, failures
from runfair.formats.finding import FigureName
from runfair.formats.plan import Factors, Mode
from runfair.formats.result import CellResult, Figure, GeometricMean
from runfair.wording.naming import label, surroundings
from runfair.wording.text import short

MOST_NAMED = 4
_VERSION = re.compile(r"^([^-+ ]+)[-+][^ ]*")


def names_of(cells: Iterable[CellResult]) -> dict[str, str]:
    """A short name for each cell: a program's runtime (`rust` for `rust-1.95.0`), a service without
    its variant. A cell keeps its whole label if another cell would get the same short name."""
    shortened = {cell.id: (_short(cell), label(cell)) for cell in cells}
    return _distinct(shortened)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Short names for the labels of programs, as in `names_of`."""
    return _distinct({name: (_without_version(name), name) for name in names})


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """At most `most` names or numbers as text, for example `go, node and 3 more`."""
    if len(names) > most:
        rest = len(names) - most + 1
        return f"{', '.join(names[: most - 1])} and {rest} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _short(cell: CellResult) -> str:
    return _without_version(label(cell)) if cell.served is None else short(cell.served.service)


def _without_version(name: str) -> str:
    return _VERSION.sub(r"\1", name)


def _distinct(names: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """A name for each long name: its short name, or the long name itself if several long names have
    the same short name."""
    sharing: dict[str, set[str]] = {}
    for brief, whole in names.values():
        sharing.setdefault(brief, set()).add(whole)
    return {
        key: brief if len(sharing[brief]) == 1 else whole for key, (brief, whole) in names.items()
    }


_WORDS: dict[tuple[bool, Mode], str] = {
    (False, "steady"): "steady state",
    (False, "cold"): "whole process",
    (True, "steady"): "passes over a server",
    (True, "cold"): "first pass over a server",
}


class Condition(NamedTuple):
    driven: bool
    mode: Mode
    size: str
    tier: str
    threads: int
    factors: Factors

    @property
    def label(self) -> str:
        """The condition of a cell in words, for example `steady state, small, 2 threads`. Default
        values are left out."""
        parts = [_WORDS[self.driven, self.mode]]
        parts += [self.size] if self.size != self.mode else []
        parts += [f"tier {self.tier}"] if self.tier != "standard" else []
        usual = "1 thread"
        parts += [one for one in surroundings(self.threads, self.factors) if one != usual]
        return ", ".join(parts)


def condition_of(one: CellResult | GeometricMean) -> Condition:
    driven = one.driven if isinstance(one, GeometricMean) else one.drive is not None
    return Condition(driven, one.mode, one.size, one.tier, one.threads, one.factors)


State = Literal["answered", "missed", "open"]
Concern = tuple[str, FigureName]
Row = tuple[str, ...]

FLAGGED = "flagged"  # the remark on a row, followed by the doubt if there is one
_DOUBTS = {one.NAME: one.DOUBT for one in CHECKS}


@dataclass(frozen=True)
class Question:
    """A question with its answer. The first of the `sentences` is the answer; the other sentences
    give details. `rows` are texts in columns, with the most important row first; `heading` names
    the columns, if the texts do not. `in_rows`: the rows contain all that the first sentence says.
    `missed`: the answer is that an objective is not met; `open`: there is no answer. `concerns`
    lists the figures on which the answer depends, each with its cell."""

    title: str
    sentences: tuple[str, ...]
    rows: tuple[Row, ...]
    state: State
    concerns: tuple[Concern, ...]
    heading: Row = ()
    in_rows: bool = False


def row(
    name: str,
    cell: CellResult,
    texts: Sequence[str],
    shown: Collection[FigureName],
    limits: Collection[str],
) -> Row:
    """A row of the table: the name, the `texts` of the `shown` figures, and remarks on them. If
    there are no figures, the row gives the reason."""
    gone = absent(cell, limits)
    return (name, gone) if gone else (name, *texts, *marks([cell], shown))


def marks(cells: Sequence[CellResult], shown: Collection[FigureName]) -> Row:
    """The remarks on a cell: `flagged` with the most severe doubt, and the number of failed
    executions. Void figures need no remark, because `void` is printed in their place."""
    flagged = [
        one
        for cell in cells
        for name in shown
        if (one := cell.figures.get(name)) is not None and one.verdict == "flagged"
    ]
    failed = sum(cell.failed for cell in cells)
    lost = (
        f"{failed} of {failed + sum(cell.executions for cell in cells)} executions failed"
        if failed
        else ""
    )
    if not flagged:
        return (lost,) if lost else ()
    doubt = _doubt(flagged)
    if not lost or doubt == failures.DOUBT:
        doubt, lost = lost or doubt, ""
    return (f"{FLAGGED}: {doubt}" if doubt else FLAGGED, *((lost,) if lost else ()))


def _doubt(figures: Sequence[Figure]) -> str:
    """The first doubt about these figures, in a few words. A fault comes before a warning."""
    found = [one for figure in figures for one in figure.findings if one.severity != "limitation"]
    first = min(found, key=lambda one: one.severity != "fault", default=None)
    return _DOUBTS[first.check] if first else ""


def absent(cell: CellResult, limits: Collection[str]) -> str:
    """The reason why a cell has no figures; empty if it has some."""
    if cell.absent:
        return cell.absent
    if cell.id in limits:
        return "every execution reached the time limit or the memory limit of the experiment"
    return "" if cell.figures and cell.executions + cell.failed else "not measured"


def limited(evidence: RunEvidence) -> frozenset[str]:
    """The cells in which every execution was ended by a limit of the experiment."""
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
    """The cells that should have at least one of these figures, but have none."""
    return [
        cell
        for cell in cells
        if not cell.unsupported and cell.id not in limits and not _stands(cell, figures)
    ]


def _stands(cell: CellResult, figures: Collection[FigureName]) -> bool:
    """Whether any of these figures has a value; a void figure has none."""
    return any(one is not None and one.value is not None for one in map(cell.figures.get, figures))


def why(cells: Sequence[CellResult], figures: Collection[FigureName]) -> str:
    """A sentence about cells without an answer: their names, and the reason of the first."""
    reason = cells[0].absent or re.split(r"; | \(", fault(cells[0], figures))[0]
    return f"No answer for {who(cells)}: {reason or 'not measured'}."


def who(cells: Sequence[CellResult]) -> str:
    names = names_of(cells)
    return listed(list(dict.fromkeys(names[cell.id] for cell in cells)))


def fault(cell: CellResult, figures: Collection[FigureName]) -> str:
    """The message of the first fault of these figures; empty if there is no fault."""
    faults = (
        finding.text
        for name in figures
        if (figure := cell.figures.get(name)) is not None
        for finding in figure.findings
        if finding.severity == "fault"
    )
    return next(faults, "")
