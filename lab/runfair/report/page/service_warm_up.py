"""A picture of how services warm up: the median latency of each window since the process
started."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.load import LoadEvidence
from runfair.formats.place import HERE
from runfair.report.page.drawing import (
    colours,
    dashes,
    log_scale,
    log_ticks,
    marks,
    quantitative,
    reduced,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.operating_point import Point, latency_axis
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Columns, Picture, Spec, Value, judgement
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

COLUMNS = 120
HEIGHT = 240
CAPTION = (
    "Each line is an execution. The line shows how the median latency changes with the time "
    "since the start of the service's process. Each point is the median of a window (a short "
    "span of the load). Both axes are logarithmic. The mark on a line shows when the "
    "latency became steady. It is filled if the measured values of the execution are fair, and "
    "hollow if they are flagged (doubtful). The table also shows when the service gave its first "
    "good answer. A service whose values are void (not valid) has no line."
)
APART = (
    " The start and the load were timed by the clocks of two hosts, and the offset between "
    "these clocks is known only to {}."
)


def warm_up_picture(point: Point, legend: Legend) -> Picture | None:
    """The picture of the warm-up; None if no service was under load."""
    if not any(served.loaded for served in point.served):
        return None
    title = f"Warm-up · {point.title}"
    apart_ns = max(
        HERE.uncertainty_to(load.place) for served in point.served for _, load in served.loaded
    )
    data = _data(point, legend)
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION + APART.format(f"±{quantity.duration(apart_ns)}") * bool(apart_ns),
        spec=_spec(point, data, legend),
        data=data,
        table=_table(title, point, legend),
        judgement=judgement(point.cells, ("start", "p50")),
    )


def _before_load_ns(execution: ExecutionEvidence, load: LoadEvidence) -> int | None:
    """The time from the start of the process to the start of the load."""
    cold = execution.record.served.start if execution.record.served is not None else None
    return None if cold is None else load.result.started.monotonic_ns - cold.process_ns


def _data(point: Point, legend: Legend) -> dict[str, Columns]:
    curve: dict[str, list[Value]] = {name: [] for name in ("x", "y", "series", "run")}
    steady: dict[str, list[Value]] = {name: [] for name in ("x", "y", "series", "verdict", "said")}
    for served in point.served:
        who = legend.series(served.cell).name
        told = {one.execution: one for one in served.service.warm_up}
        for execution, load in served.loaded:
            before_ns, seen = _before_load_ns(execution, load), load.windows
            one = told[execution.record.id]
            if before_ns is None or before_ns < 0 or one.verdict == "void":
                continue
            kept = reduced(seen.p50_ns, COLUMNS)
            at_ns = before_ns + (seen.start_ns + seen.end_ns)[kept] // 2
            curve["x"] += [rounded(at / 1e9) for at in at_ns.tolist()]
            curve["y"] += [rounded(float(one)) for one in seen.p50_ns[kept]]
            curve["series"] += [who] * len(kept)
            curve["run"] += [execution.record.id] * len(kept)
            if one.steady_ns is not None and load.steady.start is not None:
                steady["x"].append(rounded(one.steady_ns / 1e9))
                steady["y"].append(rounded(float(seen.p50_ns[load.steady.start])))
                steady["series"].append(who)
                steady["verdict"].append(one.verdict)
                steady["said"].append(quantity.duration(one.steady_ns))
    return {"curve": curve, "steady": steady}


def _numbers(values: Sequence[Value]) -> list[float]:
    return [float(one) for one in values if isinstance(one, int | float) and one > 0]


def _spec(point: Point, data: dict[str, Columns], legend: Legend) -> Spec:
    members = legend.among(point.cells)
    seconds = _numbers([*data["curve"]["x"], *data["steady"]["x"]]) or [1.0, 10.0]
    x = quantitative(
        "x",
        "seconds since the process was started",
        scale=log_scale(seconds),
        axis={"values": log_ticks(seconds, most=7), "labelExpr": "format(datum.value, '~r')"},
    )
    y = latency_axis("y", "median latency", _numbers(data["curve"]["y"]), None)
    shown = tooltip(("series", "service"), ("said", "steady after"), ("verdict", "verdict"))
    return view(
        [
            {
                "data": {"name": "curve"},
                "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.75},
                "encoding": {
                    "x": x,
                    "y": y,
                    "detail": [{"field": "run", "type": "nominal"}],
                    "color": colours(members),
                    "strokeDash": dashes(members),
                },
            },
            *marks("steady", {"x": x, "y": y}, members, shown=shown),
        ],
        HEIGHT,
    )


def _table(title: str, point: Point, legend: Legend) -> Table:
    columns = ("service", "execution", "first good answer", "steady after", "warm-up", "verdict")
    rows = []
    for served in point.served:
        for one in served.service.warm_up:
            first, steady = (
                "—" if at_ns is None else quantity.duration(at_ns)
                for at_ns in (one.first_answer_ns, one.steady_ns)
            )
            who = legend.series(served.cell).name
            cells = (who, one.execution, first, steady, one.classification, one.verdict)
            rows.append(Row(cells, one.verdict))
    return Table(title, columns, tuple(rows))
