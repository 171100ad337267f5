"""Pictures of the iterations of steady programs: the curve of each execution, with its steady part
marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.machine_level import Clock
from runfair.evidence.run import RunEvidence
from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, RunResult
from runfair.report.page.drawing import (
    DURATION_LABEL,
    log_scale,
    log_ticks,
    quantitative,
    reduced,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.palette import Legend, Series, colour
from runfair.report.page.picture import Columns, Picture, Spec, judgement
from runfair.statistics.array import IntArray
from runfair.wording import quantity
from runfair.wording.naming import condition_text, name_of, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

HEIGHT = 170
MOST_POINTS = 3000  # of one picture
MOST_OF_PAGE = 150_000  # about 4 MB of points
MOST_COLUMNS, FEWEST_COLUMNS = 300, 30
MOST_PICTURES = 120
# If there are too many pictures for a page, the most important kinds of pictures come first.
_ORDER = ("no steady state", "slowdown", "too short", "warmup", "flat")
HOW_TO_READ = (
    "Each curve shows the iterations of one execution in order, on a logarithmic axis. A "
    "curve is pale before the steady point (a short vertical stroke) and strong after the "
    "steady point. The steady-state detector divides an execution into segments, in which the "
    "times stay on one level. Horizontal lines are the medians of these segments. If an "
    "execution has too many iterations to draw all of them, the picture shows the fastest and "
    "the slowest iteration of each short stretch, so every extreme value remains visible."
)
CAPTION = "The picture shows the time of each iteration. Each execution has its own curve."
VOID = (
    " The times of this program are void (not valid). The curves are not a result, but they show "
    "why the times are void."
)


def iteration_pictures(
    evidence: RunEvidence, result: RunResult, legend: Legend
) -> tuple[list[Picture], int]:
    """A picture for each cell, and the number of cells for which the page has no room."""
    by_id = {cell.id: cell for cell in result.cells}
    steady = [
        one
        for one in evidence.programs
        if one.cell.mode == "steady" and any(len(each.wall_ns) for each in one.completed)
    ]
    shown = steady
    if len(steady) > MOST_PICTURES:
        shown = sorted(steady, key=_urgency)[:MOST_PICTURES]
    points = min(MOST_POINTS, MOST_OF_PAGE // max(1, len(shown)))
    pictures = [_picture(one, by_id[one.cell.id], legend, points) for one in shown]
    return pictures, len(steady) - len(shown)


def _urgency(one: CellEvidence) -> int:
    seen = [each.steady.classification for each in one.completed if each.steady is not None]
    return min((_ORDER.index(each) for each in seen), default=len(_ORDER))


def _picture(one: CellEvidence, cell: CellResult, legend: Legend, points: int) -> Picture:
    executions = [each for each in one.completed if len(each.wall_ns)]
    clock: Clock = Counter(each.series or "wall" for each in executions).most_common(1)[0][0]
    figure: FigureName = "cpu" if clock == "cpu" else "wall"
    series = legend.series(cell)
    title = f"{workload(cell)} · {condition_text(cell)} · {series.name}"
    void = cell.figures[figure].verdict == "void"
    curves = [each.cpu_ns if clock == "cpu" else each.wall_ns for each in executions]
    return Picture(
        name=anchor("iterations", cell.id),
        title=title,
        caption=CAPTION + VOID * void,
        spec=_spec(figure, curves, series, void=void),
        data=_data(executions, curves, points),
        table=_table(title, executions, curves),
        judgement=judgement([cell], (figure,)),
    )


def _spec(figure: FigureName, curves: Sequence[IntArray], series: Series, *, void: bool) -> Spec:
    ends = [int(end) for curve in curves for end in (curve.min(), curve.max())]
    scale: Spec = {"type": "linear", "zero": False}
    axis: Spec = {"labelExpr": DURATION_LABEL}
    if min(ends) > 0:  # If the clock is coarse, a measured time may be zero.
        scale, axis = log_scale(ends), {**axis, "values": log_ticks(ends, most=6)}
    last = max(len(curve) for curve in curves)
    ink = colour("line") if void else series.colour
    x = quantitative(
        "x", "iteration", scale={"domain": [0, last], "nice": False}, axis={"tickCount": 5}
    )
    y = quantitative("y", name_of(figure), scale=scale, axis=axis)
    shown = tooltip(("said", name_of(figure)), ("run", "execution"))
    return view(
        [
            {
                "data": {"name": "curve"},
                "mark": {"type": "line", "strokeWidth": 1, "color": ink, "point": last <= 40},
                "encoding": {
                    "x": x,
                    "y": y,
                    "detail": [{"field": "run", "type": "nominal"}],
                    "opacity": {
                        "field": "part",
                        "type": "ordinal",
                        "scale": {"domain": ["before", "steady"], "range": [0.3, 0.75]},
                        "legend": None,
                    },
                },
            },
            {
                "data": {"name": "levels"},
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": colour("ink")},
                "encoding": {
                    "x": {**x, "field": "start"},
                    "x2": {"field": "end"},
                    "y": y,
                    "tooltip": shown,
                },
            },
            {
                "data": {"name": "points"},
                "mark": {
                    "type": "tick",
                    "orient": "vertical",
                    "color": colour("ink"),
                    "thickness": 2,
                    "size": 26,
                },
                "encoding": {
                    "x": x,
                    "y": y,
                    "tooltip": tooltip(("said", "steady from"), ("run", "execution")),
                },
            },
        ],
        HEIGHT,
    )


def _data(
    executions: Sequence[ExecutionEvidence], curves: Sequence[IntArray], most_points: int
) -> dict[str, Columns]:
    columns = most_points // (2 * len(curves))
    columns = min(MOST_COLUMNS, max(FEWEST_COLUMNS, columns))
    curve: dict[str, list[str | int | float]] = {"x": [], "y": [], "run": [], "part": []}
    levels: dict[str, list[str | int | float]] = {
        name: [] for name in ("start", "end", "y", "run", "said")
    }
    points: dict[str, list[str | int | float]] = {name: [] for name in ("x", "y", "run", "said")}
    for number, (each, times_ns) in enumerate(zip(executions, curves, strict=True), 1):
        start = each.steady.start if each.steady is not None else None
        kept = reduced(times_ns, columns)
        steady = kept >= start if start is not None else np.zeros(len(kept), dtype=bool)
        curve["x"] += kept.tolist()
        curve["y"] += [rounded(float(time)) for time in times_ns[kept]]
        curve["run"] += [number] * len(kept)
        curve["part"] += ["steady" if one else "before" for one in steady]
        for segment in each.steady.segments if each.steady is not None else ():
            levels["start"].append(segment.start)
            levels["end"].append(segment.end)
            levels["y"].append(rounded(segment.median_ns))
            levels["run"].append(number)
            levels["said"].append(quantity.duration(segment.median_ns))
        if start is not None:
            points["x"].append(start)
            points["y"].append(rounded(float(np.median(times_ns[start:]))))
            points["run"].append(number)
            points["said"].append(f"iteration {start:,}")
    return {"curve": curve, "levels": levels, "points": points}


def _table(
    title: str, executions: Sequence[ExecutionEvidence], curves: Sequence[IntArray]
) -> Table:
    columns = (
        *("execution", "iterations", "first", "fastest", "median of the steady part", "slowest"),
        *("steady from", "what the steady-state detector found"),
    )
    rows = tuple(_rows(executions, curves))
    return Table(title, columns, rows)


def _rows(executions: Sequence[ExecutionEvidence], curves: Sequence[IntArray]) -> Iterator[Row]:
    for each, times_ns in zip(executions, curves, strict=True):
        seen, start = each.steady, each.steady.start if each.steady is not None else None
        median = quantity.duration(float(np.median(times_ns[start:]))) if start is not None else "—"
        cells = (
            each.record.id,
            f"{len(times_ns):,}",
            quantity.duration(float(times_ns[0])),
            quantity.duration(float(times_ns.min())),
            median,
            quantity.duration(float(times_ns.max())),
            f"iteration {start:,}" if start is not None else "never",
            seen.classification if seen is not None else "not looked at",
        )
        yield Row(cells, None)
