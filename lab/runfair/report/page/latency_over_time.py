"""Pictures of a service's latency during one load. Below the latency, a picture shows the runtime's
events at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from runfair.evidence.load import LoadEvidence
from runfair.formats.event import Event, Kind
from runfair.formats.finding import FigureName
from runfair.formats.histogram import Histogram, Interval
from runfair.report.page.drawing import quantitative, reduced, rounded, tooltip, view
from runfair.report.page.operating_point import Point, Served, latency_axis, limit_layers
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend, Series, colour
from runfair.report.page.picture import Columns, Picture, Spec, Value, judgement
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

HEIGHT = 260
LANE = 14
COLUMNS = 400
FIGURES: tuple[FigureName, ...] = ("p50", "p99", "max")
LANES: dict[str, tuple[Kind, ...]] = {
    "pauses": ("gc_pause", "safepoint"),
    "collections": ("gc_cycle",),
    "compilations": ("compilation",),
    "deoptimisations": ("deoptimisation",),
}
CAPTION = (
    "The picture shows the execution whose mean latency is the median of the mean latencies "
    "of all executions. The curves show the median and the p99 of each window (a group of "
    "neighbouring intervals of 100 ms), and the slowest request of each interval. The vertical "
    "line is the steady point (the start of the steady state). The strips below the curves show "
    "runtime events. If several events are too close to be drawn separately, one line stands for "
    "all of them."
)
SILENT = " No runtime events available."
APART = (
    " The events and the requests were timed by the clocks of two hosts, so the positions of "
    "the events on the time axis are known only to {}."
)
VOID = (
    " The latencies of this service are void (not valid). The curve is not a result, but it shows "
    "why the latencies are void."
)


def latency_pictures(point: Point, page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """A picture for each service that was under load."""
    for served in point.served:
        seen = served.middle
        if seen is None:
            continue
        execution, load = seen
        told = page_input.events(execution.record.id)
        began_ns = load.result.started.monotonic_ns
        during = [
            one for one in told or () if 0 <= one.started_ns - began_ns < load.result.elapsed_ns
        ]
        yield _picture(
            point,
            served,
            load,
            legend.series(served.cell),
            page_input.intervals(execution.record.id),
            None if told is None else during,
            execution.record.place.uncertainty_to(load.place),
        )


def _picture(
    point: Point,
    served: Served,
    load: LoadEvidence,
    series: Series,
    intervals: Sequence[Interval],
    events: Sequence[Event] | None,
    apart_ns: int,
) -> Picture:
    title = f"Latency over time · {point.title} · {series.name}"
    void = served.cell.figures["p50"].verdict == "void"
    lanes = [name for name, kinds in LANES.items() if any(e.kind in kinds for e in events or ())]
    data = {
        "windows": _windows(load, intervals),
        "steady": _steady(load),
        **{name: _strip(events or (), LANES[name], load) for name in lanes},
    }
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION
        + SILENT * (events is None)
        + APART.format(f"±{quantity.duration(apart_ns)}") * bool(apart_ns)
        + VOID * void,
        spec=_spec(point, load, series, data, lanes, void=void),
        data=data,
        table=_table(title, load, intervals, events),
        judgement=judgement([served.cell], FIGURES),
    )


def _windows(load: LoadEvidence, intervals: Sequence[Interval]) -> Columns:
    seen = load.windows
    columns: dict[str, list[Value]] = {name: [] for name in ("x", "y", "what", "said")}

    def add(what: str, at_ns: npt.NDArray[np.int64], values: npt.NDArray[np.int64]) -> None:
        kept = reduced(values, COLUMNS)
        columns["x"] += [rounded(at / 1e9) for at in at_ns[kept].tolist()]
        columns["y"] += [rounded(float(value)) for value in values[kept]]
        columns["what"] += [what] * len(kept)
        columns["said"] += [quantity.duration(float(value)) for value in values[kept]]

    middle_ns = (seen.start_ns + seen.end_ns) // 2
    add("median", middle_ns, seen.p50_ns)
    add("p99", middle_ns, seen.p99_ns)
    at_ns, slowest = _slowest(intervals)
    add("slowest", at_ns, slowest)
    return columns


def _slowest(
    intervals: Sequence[Interval],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The middle of each interval, and the greatest latency in it. The warm-up is included."""
    found: dict[int, list[Histogram]] = {}
    for one in intervals:
        if one.quantity == "latency" and one.histogram.total:
            found.setdefault(one.start_ns + one.length_ns // 2, []).append(one.histogram)
    greatest = [max(each.max or 0 for each in held) for held in found.values()]
    return np.array(list(found), dtype=np.int64), np.array(greatest, dtype=np.int64)


def _steady(load: LoadEvidence) -> Columns:
    if load.steady.start is None:
        return {"x": []}
    return {"x": [rounded(load.steady_from_ns / 1e9)]}


def _strip(events: Sequence[Event], kinds: Sequence[Kind], load: LoadEvidence) -> Columns:
    """The events of a lane. Events that fall into the same pixel column are merged into one, from
    the start of the first to the end of the last. No event is lost.
    """
    width_ns = max(1, load.result.elapsed_ns // COLUMNS)
    began_ns = load.result.started.monotonic_ns
    groups: dict[int, list[Event]] = {}
    for one in events:
        if one.kind in kinds:
            groups.setdefault((one.started_ns - began_ns) // width_ns, []).append(one)
    members = list(groups.values())
    return {
        "x": [rounded((min(e.started_ns for e in each) - began_ns) / 1e9) for each in members],
        "x2": [rounded((max(e.ended_ns for e in each) - began_ns) / 1e9) for each in members],
        "said": [_events_text(each) for each in members],
    }


def _events_text(events: Sequence[Event]) -> str:
    together = quantity.duration(sum(one.duration_ns for one in events))
    if len(events) == 1:
        return together
    longest = quantity.duration(max(one.duration_ns for one in events))
    return f"{len(events):,} events, {together} in total, longest {longest}"


def _spec(
    point: Point,
    load: LoadEvidence,
    series: Series,
    data: dict[str, Columns],
    lanes: Sequence[str],
    *,
    void: bool,
) -> Spec:
    ink = colour("line") if void else series.colour
    reach = [float(value) for value in data["windows"]["y"] if isinstance(value, int | float)]
    height = HEIGHT + LANE * len(lanes)
    y = latency_axis("y", "latency", reach, point.objective, range=[HEIGHT - 4 * bool(lanes), 0])
    x = quantitative(
        "x",
        "seconds since the load began",
        scale={"domain": [0, load.result.elapsed_ns / 1e9], "nice": False},
    )
    what = {"domain": ["median", "p99", "slowest"], "range": [[1, 0], [6, 3], [2, 2]]}
    layers: list[Spec] = [
        {
            "data": {"name": "windows"},
            "mark": {"type": "line", "strokeWidth": 1.4, "color": ink},
            "encoding": {
                "x": x,
                "y": y,
                "strokeDash": {"field": "what", "type": "nominal", "scale": what, "title": None},
                "opacity": {
                    "field": "what",
                    "type": "ordinal",
                    "scale": {"domain": what["domain"], "range": [1, 0.85, 0.6]},
                    "title": None,
                },
            },
        },
        {
            "data": {"name": "windows"},
            "mark": {"type": "point", "size": 30, "opacity": 0},
            "encoding": {
                "x": x,
                "y": y,
                "tooltip": tooltip(("what", "of the window"), ("said", "latency")),
            },
        },
        {
            "data": {"name": "steady"},
            "mark": {"type": "rule", "strokeWidth": 1.5, "color": colour("ink")},
            "encoding": {"x": x},
        },
        *limit_layers(point.objective, y),
    ]
    for number, lane in enumerate(lanes):
        layers += _lane(lane, x, HEIGHT + LANE * number)
    return view(layers, height)


def _lane(lane: str, x: Spec, top: int) -> list[Spec]:
    ends = {"y": {"value": top + 2}, "y2": {"value": top + LANE - 1}}
    return [
        {
            "data": {"name": lane},
            "mark": {
                "type": "rect",
                "color": colour("ink"),
                "stroke": colour("ink"),
                "strokeWidth": 1,
            },
            "encoding": {
                "x": x,
                "x2": {"field": "x2"},
                **ends,
                "tooltip": tooltip(("said", lane)),
            },
        },
        {
            "data": {"values": [{}]},
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "middle",
                "fontSize": 10,
                "text": lane,
            },
            "encoding": {"x": {"value": -4}, "y": {"value": top + LANE / 2}},
        },
    ]


def _table(
    title: str,
    load: LoadEvidence,
    intervals: Sequence[Interval],
    events: Sequence[Event] | None,
) -> Table:
    seen = load.windows
    _, slowest = _slowest(intervals)
    steady = load.steady.start is not None
    rows = [
        ("windows", f"{len(seen.count):,}"),
        ("steady from", f"{load.steady_from_ns / 1e9:.3g} s" if steady else "never"),
        ("what the steady-state detector found", load.steady.classification),
        ("medians of windows", _ends(seen.p50_ns)),
        ("p99 of windows", _ends(seen.p99_ns)),
        ("slowest of intervals", _ends(slowest)),
    ]
    for lane, kinds in LANES.items():
        mine = [one for one in events or () if one.kind in kinds]
        text = "not reported" if events is None else "none" if not mine else _events_text(mine)
        rows.append((lane, f"1, {text}" if len(mine) == 1 else text))
    return Table(title, ("of this execution", ""), tuple(Row(row, None) for row in rows))


def _ends(values: npt.NDArray[np.int64]) -> str:
    if not len(values):
        return "—"
    low, high = (quantity.duration(float(end)) for end in (values.min(), values.max()))
    return f"{low} to {high}"
