"""The questions about sweeps: how does a figure change from the first point to the last?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from runfair.fairness.figures import TIMES
from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.report.conclusion.question import (
    Question,
    Row,
    condition_of,
    marks,
    short_names,
    unanswered,
    why,
)
from runfair.report.sweep import Axis, figures, sweeps
from runfair.wording import quantity
from runfair.wording.naming import label, name_of
from runfair.wording.text import short

LEFT = "the runtime's own"


@dataclass(frozen=True)
class Course:
    """A program's figure at both ends of a sweep."""

    axis: Axis
    figure: FigureName
    first: CellResult
    last: CellResult

    @property
    def name(self) -> str:
        return label(self.first)

    @property
    def ratio(self) -> float | None:
        """The last value divided by the first. None if either is missing or has only bounds, or if
        there is a single point."""
        ends = [self._at(self.first), self._at(self.last)]
        unknown = any(one is None or not one.value or one.bounds for one in ends)
        if unknown or self.first is self.last:
            return None
        first, last = (one.value for one in ends if one is not None)
        return None if first is None or last is None else last / first

    @property
    def flagged(self) -> bool:
        ends = [self._at(self.first), self._at(self.last)]
        return any(one is not None and one.verdict == "flagged" for one in ends)

    @property
    def row(self) -> Row:
        times = "" if self.ratio is None else f"{quantity.three_digits(self.ratio)} times"
        said = marks([self.first, self.last], [self.figure])
        # A program that ran at a single point has no second end.
        last = "" if self.first is self.last else self._end(self.last)
        return (self.name, self._end(self.first), last, times, *said)

    @property
    def measured(self) -> bool:
        return any(self._at(cell) is not None for cell in (self.first, self.last))

    def _at(self, cell: CellResult) -> Figure | None:
        return cell.figures.get(self.figure)

    def _end(self, cell: CellResult) -> str:
        return f"{quantity.shown(self._at(cell))} at {place(self.axis, cell)}"


def place(axis: Axis, cell: CellResult) -> str:
    point = axis.of(cell)
    return LEFT if point is None else axis.text(point)


def sweep_questions(result: RunResult, limits: Collection[str]) -> Iterator[Question]:
    for axis, cells in sweeps(result):
        yield _question(axis, cells, limits)


def _question(axis: Axis, cells: Sequence[CellResult], limits: Collection[str]) -> Question:
    figure = next((name for name in figures(cells) if "." in name), "wall")
    programs: dict[str, list[CellResult]] = {}
    for cell in cells:
        programs.setdefault(label(cell), []).append(cell)
    courses = [
        Course(axis, figure, min(mine, key=_order(axis)), max(mine, key=_order(axis)))
        for mine in programs.values()
    ]
    asked = (figure,) if "." in figure else TIMES
    lacking = unanswered(cells, asked, limits)
    first, own = cells[0], axis.own(cells[0])
    parts = [short(first.benchmark), short(first.workload), *([own] if own else [])]
    sentences = [why(lacking, asked) if lacking else "", _answer(courses)]
    return Question(
        title=f"{' · '.join(parts)}: {name_of(figure)} by {axis.name}, {condition_of(first).mode}",
        sentences=tuple(one for one in sentences if one) or (_without_answer(courses),),
        rows=tuple(one.row for one in courses),
        state="open" if lacking else "answered",
        concerns=tuple((cell.id, figure) for cell in cells if figure in cell.figures),
    )


def _answer(courses: Sequence[Course]) -> str:
    """The sentence about the changes from one end of the sweep to the other: the smallest and the
    largest change."""
    shorts = short_names(one.name for one in courses)
    ratios = sorted(
        (one.ratio, f"{shorts[one.name]}{', flagged' if one.flagged else ''}")
        for one in courses
        if one.ratio is not None
    )
    if not ratios:
        return ""
    axis, what = courses[0].axis, name_of(courses[0].figure)
    ends = {(place(axis, one.first), place(axis, one.last)) for one in courses}
    span = f"Over the whole sweep of {axis.name}"
    if len(ends) == 1:
        ((first, last),) = ends
        span = f"From {first} to {last} {axis.name}"
    told = [f"{quantity.three_digits(ratio)} ({name})" for ratio, name in ratios]
    by = told[0] if len(told) == 1 else f"{told[0]} to {told[-1]}"
    return f"{span}, {what} is multiplied by {by}."


def _without_answer(courses: Sequence[Course]) -> str:
    """The sentence if no program has a ratio of its ends."""
    if not any(one.measured for one in courses):
        return "Nothing was measured."
    return (
        "The change over the sweep is unknown: either the sweep has only one point, or the value "
        "at its first or last point is void or only a range."
    )


def _order(axis: Axis) -> Callable[[CellResult], tuple[bool, float]]:
    """The sort key along the axis. Cells come last if the runtime itself chooses the value on the
    axis."""

    def order(cell: CellResult) -> tuple[bool, float]:
        point = axis.of(cell)
        return point is None, point or 0.0

    return order
