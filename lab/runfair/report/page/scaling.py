"""Pictures of sweeps: each program's figures over connections, threads, heap or a parameter, drawn
as lines."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, RunResult
from runfair.report.page.drawing import (
    DURATION_LABEL,
    NUMBER_LABEL,
    SIZE_LABEL,
    joined,
    log_scale,
    log_ticks,
    quantitative,
    rounded,
    size_ticks,
    tooltip,
    view,
)
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Columns, Picture, Spec, judgement
from runfair.report.sweep import Axis, common_connections, figures, sweeps
from runfair.wording import quantity
from runfair.wording.naming import common_surroundings, name_of, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief

Range = tuple[float, float]
Course = Mapping[float, Range]
"""The range of a variant's values at each point: a confidence interval, or the range over the
executions."""


def crossovers(courses: Mapping[str, Course], text: Callable[[float], str]) -> Iterator[str]:
    """A sentence for each pair of neighbouring points between which the faster of two variants
    becomes the slower.

    A point is used only if the two variants' ranges do not overlap there. At other points it is
    unknown which variant is faster.
    """
    for (one, ours), (other, theirs) in itertools.combinations(courses.items(), 2):
        led: tuple[float, bool] | None = None
        for place in sorted(ours.keys() & theirs.keys()):
            (low, high), (their_low, their_high) = ours[place], theirs[place]
            if high >= their_low and their_high >= low:
                continue
            lower = high < their_low
            if led is not None and led[1] != lower:
                first, second = (one, other) if led[1] else (other, one)
                yield (
                    f"The lines of {first} and {second} cross between {text(led[0])} and "
                    f"{text(place)}. Before this range, the line of {first} is the lower one. "
                    f"After this range, the line of {second} is the lower one."
                )
            led = (place, lower)


CAPTION = (
    "Each line connects the points of a program in the sweep. Both axes are logarithmic, so equal "
    "ratios are equal distances. A filled mark is a fair value, and a hollow mark is a flagged "
    "(doubtful) value. If a value is void (not valid), the line has a gap. Bars are 95% confidence "
    "intervals."
)


def sweep_pictures(result: RunResult, legend: Legend) -> Iterator[Picture]:
    """A picture for each figure of each sweep. The figures are the same as in the tables."""
    for axis, cells in sweeps(result):
        yield from (_picture(axis, cells, figure, legend) for figure in figures(cells))


def in_sweeps(result: RunResult) -> frozenset[str]:
    """The cells that belong to a sweep."""
    return frozenset(cell.id for _, cells in sweeps(result) for cell in cells)


def _picture(
    axis: Axis, cells: Sequence[CellResult], figure: FigureName, legend: Legend
) -> Picture:
    first = cells[0]
    title = f"{name_of(figure)} by {brief(axis.name, 40)} · {where(axis, cells)}"
    placed = sorted(
        ((place, cell) for cell in cells if (place := axis.of(cell)) is not None),
        key=lambda one: one[0],
    )
    return Picture(
        name=anchor(title, str(axis.others(first))),
        title=title,
        caption=" ".join((CAPTION, *crossovers(_courses(placed, figure, legend), axis.text))),
        spec=_spec(axis, placed, figure, legend),
        data=_data(axis, placed, figure, legend),
        table=_table(title, axis, cells, figure, legend),
        judgement=judgement(cells, (figure,)),
    )


Placed = Sequence[tuple[float, CellResult]]


def where(axis: Axis, cells: Sequence[CellResult]) -> str:
    """The condition that all cells of a sweep share."""
    first = cells[0]
    rest = first.model_copy(update={"drive": None, "own": axis.own(first)})
    conditions = [*common_surroundings(cells), *common_connections(cells)]
    return " · ".join([workload(rest), first.size, first.mode, *conditions])


def _courses(placed: Placed, figure: FigureName, legend: Legend) -> dict[str, dict[float, Range]]:
    """The intervals of each variant, point by point. A point is left out if it is void or has no
    interval.
    """
    courses: dict[str, dict[float, Range]] = {}
    for place, cell in placed:
        found = cell.figures.get(figure)
        if found is None or found.value is None or found.bounds is not None:
            continue
        if found.interval is not None:
            courses.setdefault(legend.series(cell).name, {})[place] = found.interval
    return courses


def _spec(axis: Axis, placed: Placed, figure: FigureName, legend: Legend) -> Spec:
    members = legend.among([cell for _, cell in placed])
    places = sorted({place for place, _ in placed})
    drawn = [cell.figures[figure] for _, cell in placed if figure in cell.figures]
    reach = [one.value for one in drawn if one.value]
    reach += [end for one in drawn if one.value and one.interval for end in one.interval if end > 0]
    reach = reach or [1.0, 10.0]
    unit = drawn[0].unit if drawn else "ns"
    ticks = size_ticks(reach) if unit == "bytes" else log_ticks(reach)
    x = quantitative(
        "place",
        axis.name,
        scale=log_scale(places),
        axis={"values": places, "labelExpr": SIZE_LABEL if axis.name == "heap" else "datum.label"},
    )
    label = {"ns": DURATION_LABEL, "bytes": SIZE_LABEL, "count": NUMBER_LABEL}[unit]
    y = quantitative(
        "value",
        name_of(figure),
        scale=log_scale(reach),
        axis={"values": ticks, "labelExpr": label},
    )
    shown = tooltip(
        ("series", "variant"), ("at", axis.name), ("said", name_of(figure)), ("verdict", "verdict")
    )
    return view(joined("points", {"x": x, "y": y}, members, shown))


def _data(axis: Axis, placed: Placed, figure: FigureName, legend: Legend) -> dict[str, Columns]:
    seen = [(place, cell, cell.figures[figure]) for place, cell in placed if figure in cell.figures]
    limits = [one.interval if one.value and one.bounds is None else None for _, _, one in seen]
    return {
        "points": {
            "place": [place for place, _, _ in seen],
            "at": [axis.text(place) for place, _, _ in seen],
            "series": [legend.series(cell).name for _, cell, _ in seen],
            "value": [rounded(one.value) if one.value else None for _, _, one in seen],
            "low": [rounded(one[0]) if one else None for one in limits],
            "high": [rounded(one[1]) if one else None for one in limits],
            "verdict": [one.verdict for _, _, one in seen],
            "said": [_said(cell, figure) for _, cell, _ in seen],
        }
    }


def _said(cell: CellResult, name: FigureName) -> str:
    figure = cell.figures.get(name)
    if figure is None or figure.value is None:
        return "void" if figure is not None and figure.verdict == "void" else "—"
    limits = ""
    if figure.interval is not None and figure.bounds is None:
        low, high = (quantity.in_unit(end, figure.unit) for end in figure.interval)
        limits = f" [{low}, {high}]"
    return quantity.bounded(figure.value, figure.bounds, figure.unit) + limits


def _table(
    title: str, axis: Axis, cells: Sequence[CellResult], figure: FigureName, legend: Legend
) -> Table:
    rows = []
    for cell in sorted(cells, key=lambda one: (legend.series(one).number, axis.of(one) or 0)):
        place, found = axis.of(cell), cell.figures.get(figure)
        at = "the runtime's own" if place is None else axis.text(place)
        state = found.verdict if found is not None else None
        rows.append(Row((legend.series(cell).name, at, _said(cell, figure), state or ""), state))
    return Table(title, ("variant", axis.name, name_of(figure), "verdict"), tuple(rows))
