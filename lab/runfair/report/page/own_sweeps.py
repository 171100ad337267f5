"""Pictures of sweeps of the values that programs themselves report, for example lateness by tasks,
or bytes per task by threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runfair.formats.finding import VerdictState
from runfair.formats.result import CellResult
from runfair.report.page.distributions import axis_of, kin_of, state_of, text_of
from runfair.report.page.drawing import (
    SIZE_LABEL,
    colours,
    dashes,
    log_scale,
    marks,
    quantitative,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Columns, Picture, Spec, judgement
from runfair.report.page.scaling import Range, crossovers, where
from runfair.report.sweep import Axis, sweeps
from runfair.statistics.array import FloatArray
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief, short

CAPTION = (
    "Each line is a program. At each point of the sweep, each execution of the program has a "
    "median of its values. The line shows the median of these medians, and a bar reaches from "
    "the smallest to the largest of them. A time or a rate is void (not valid) if the "
    "program's wall time is void. A count or a size is void if the program's peak memory is "
    "void. A void value leaves a gap in the line."
)


@dataclass(frozen=True, eq=False)
class _Point:
    """A cell at its place on the axis. `medians` has the sorted medians of the executions."""

    place: float
    cell: CellResult
    medians: FloatArray
    state: VerdictState

    @property
    def void(self) -> bool:
        return self.state == "void"

    @property
    def middle(self) -> float:
        return float(np.median(self.medians))


def own_sweep_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """The pictures of each sweep: a picture for each name and unit of the values that programs
    reported.
    """
    completed = {
        one.cell.id: [each.record.id for each in one.completed]
        for one in page_input.evidence.programs
    }
    for axis, cells in sweeps(page_input.result):
        told: dict[tuple[str, str], list[_Point]] = {}
        for cell in cells:
            place = axis.of(cell)
            gathered: dict[tuple[str, str], list[float]] = {}
            for execution in completed.get(cell.id, []):
                for own in page_input.own_values(execution):
                    middle = float(np.median(own.values))
                    gathered.setdefault((own.name, own.unit), []).append(middle)
            if place is not None:
                for key, medians in gathered.items():
                    told.setdefault(key, []).append(
                        _Point(place, cell, np.sort(medians), state_of(cell, key[1]))
                    )
        for (name, unit), points in told.items():
            points.sort(key=lambda one: one.place)
            yield _picture(axis, short(name), brief(unit, 20), points, legend)


def _picture(axis: Axis, name: str, unit: str, points: Sequence[_Point], legend: Legend) -> Picture:
    title = f"{name} by {brief(axis.name, 40)} · {where(axis, [one.cell for one in points])}"
    courses: dict[str, dict[float, Range]] = {}
    for one in points:
        if not one.void:
            reach = (float(one.medians[0]), float(one.medians[-1]))
            courses.setdefault(legend.series(one.cell).name, {})[one.place] = reach
    return Picture(
        name=anchor("own", title, unit, str(axis.others(points[0].cell))),
        title=title,
        caption=" ".join((CAPTION, *crossovers(courses, axis.text))),
        spec=_spec(axis, name, unit, points, legend),
        data={"points": _data(axis, unit, points, legend)},
        table=_table(title, axis, name, unit, points, legend),
        judgement=judgement([one.cell for one in points], (kin_of(unit),)),
    )


def _spec(axis: Axis, name: str, unit: str, points: Sequence[_Point], legend: Legend) -> Spec:
    members = legend.among([one.cell for one in points])
    places = sorted({one.place for one in points})
    drawn = [float(value) for one in points if not one.void for value in one.medians]
    label = SIZE_LABEL if axis.name == "heap" else "datum.label"
    x = quantitative(
        "place", axis.name, scale=log_scale(places), axis={"values": places, "labelExpr": label}
    )
    y = axis_of("value", name, unit, drawn)
    shown = tooltip(
        ("series", "variant"), ("at", axis.name), ("said", name), ("verdict", "verdict")
    )
    own = {"data": {"name": "points"}}
    coloured = {"color": colours(members)}
    return view(
        [
            {
                **own,
                "mark": {
                    "type": "line",
                    "strokeWidth": 1.8,
                    "invalid": "break-paths-filter-domains",
                },
                "encoding": {"x": x, "y": y, **coloured, "strokeDash": dashes(members)},
            },
            {
                **own,
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    **coloured,
                },
            },
            *marks("points", {"x": x, "y": y}, members, size=60, shown=shown),
        ]
    )


def _data(axis: Axis, unit: str, points: Sequence[_Point], legend: Legend) -> Columns:
    return {
        "place": [one.place for one in points],
        "at": [axis.text(one.place) for one in points],
        "series": [legend.series(one.cell).name for one in points],
        "value": [None if one.void else rounded(one.middle) for one in points],
        "low": [None if one.void else rounded(float(one.medians[0])) for one in points],
        "high": [None if one.void else rounded(float(one.medians[-1])) for one in points],
        "verdict": [one.state for one in points],
        "said": [_said(one, unit) for one in points],
    }


def _said(point: _Point, unit: str) -> str:
    if point.void:
        return "void"
    text = text_of(point.middle, unit)
    low, high = (text_of(float(one), unit) for one in (point.medians[0], point.medians[-1]))
    return text if low == high else f"{text} [{low}, {high}]"


def _table(
    title: str, axis: Axis, name: str, unit: str, points: Sequence[_Point], legend: Legend
) -> Table:
    rows = [
        Row((legend.series(one.cell).name, axis.text(one.place), _said(one, unit), one.state), None)
        for one in sorted(points, key=lambda one: (legend.series(one.cell).number, one.place))
    ]
    return Table(title, ("variant", axis.name, name, "verdict"), tuple(rows))
