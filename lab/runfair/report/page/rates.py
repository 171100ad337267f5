"""A picture of latency by rate. The picture shows the rate at which each service stops meeting the
objective."""

from __future__ import annotations

from runfair.fairness.objective import WORDS
from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.service_result import CurvePoint
from runfair.report.capacity_table import knee_words
from runfair.report.page.drawing import colours, dashes, marks, quantitative, rounded, tooltip, view
from runfair.report.page.operating_point import Point, Served, latency_axis, limit_layers
from runfair.report.page.palette import Legend
from runfair.report.page.percentile_curve import latency_text
from runfair.report.page.picture import TABLE_MARKS, Columns, Picture, Spec, Value, judged
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

CAPTION = (
    "The picture shows the objective's percentile of the latency at each rate, including the "
    "rate of the operating point. Each value is the median of the executions. Filled marks "
    "are fair values, and hollow marks are flagged (doubtful) values. A void (not valid) value "
    "leaves a gap in the line. A bar on the objective's line shows the capacity: it reaches from "
    "the highest rate that met the objective to the lowest rate that missed it, or to the right "
    f"edge if no rate missed it. {TABLE_MARKS}"
)


def rate_picture(point: Point, legend: Legend) -> Picture | None:
    """The picture of latency by rate; None if the experiment requested no further rates."""
    if not any(one.service.curve or one.service.capacity for one in point.served):
        return None
    title = f"Latency by rate · {point.title}"
    data = _data(point, legend)
    # The median decides on the values at other rates, and the objective's percentile is drawn.
    seen = [
        (one.cell, one.cell.figures[name])
        for one in point.served
        for name in dict.fromkeys(("p50", _asked(point)))
        if name in one.cell.figures
    ]
    states: list[VerdictState] = [
        each.verdict for one in point.served for each, _ in _points(one, _asked(point))
    ]
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION,
        spec=_spec(point, data, legend),
        data=data,
        table=_table(title, point, legend),
        judgement=judged(states, seen),
    )


def _asked(point: Point) -> FigureName:
    return "p99" if point.objective is None else point.objective.percentile


def _points(served: Served, asked: FigureName) -> list[tuple[CurvePoint, str]]:
    """The points of the curve and the point at the operating point, by ascending rate, each with
    its latency as text."""
    own = served.cell.figures.get(asked)
    points = [(one, _text(one)) for one in served.service.curve]
    if own is not None:
        point = CurvePoint(
            rate_per_s=served.service.rate_per_s,
            p50_ns=None,
            p99_ns=own.value if asked == "p99" else None,
            objective_ns=own.value,
            meets=served.service.meets,
            executions=served.cell.executions,
            verdict=own.verdict,
        )
        points.append((point, latency_text(served.cell, asked)))
    return sorted(points, key=lambda one: one[0].rate_per_s)


def _text(one: CurvePoint) -> str:
    if one.verdict == "void":
        return "void"
    latency_ns = _latency_ns(one)
    star = "*" if one.verdict == "flagged" else ""
    return "—" if latency_ns is None else f"{quantity.duration(latency_ns)}{star}"


def _latency_ns(one: CurvePoint) -> float | None:
    if one.verdict == "void":
        return None
    return one.p99_ns if one.objective_ns is None else one.objective_ns


def _data(point: Point, legend: Legend) -> dict[str, Columns]:
    rates: dict[str, list[Value]] = {
        name: [] for name in ("x", "y", "series", "verdict", "rate", "said", "meets")
    }
    capacity: dict[str, list[Value]] = {name: [] for name in ("x", "x2", "y", "series", "said")}
    open_ended: dict[str, list[Value]] = {name: [] for name in capacity}
    for served in point.served:
        who = legend.series(served.cell).name
        for one, text in _points(served, _asked(point)):
            latency_ns = _latency_ns(one)
            rates["x"].append(one.rate_per_s)
            rates["y"].append(None if latency_ns is None else rounded(latency_ns))
            rates["series"].append(who)
            rates["verdict"].append(one.verdict)
            rates["rate"].append(f"{one.rate_per_s:,g}/s")
            rates["said"].append(text)
            rates["meets"].append("—" if one.meets is None else WORDS[one.meets])
        found = served.service.capacity
        if found is None or found.highest_met_per_s is None or point.objective is None:
            continue
        bar = open_ended if found.lowest_missed_per_s is None else capacity
        bar["x"].append(found.highest_met_per_s)
        bar["x2"].append(found.lowest_missed_per_s)
        bar["y"].append(point.objective.limit_ns)
        bar["series"].append(who)
        bar["said"].append(_capacity_text(served))
    return {"rates": rates, "capacity": capacity, "open_ended": open_ended}


def _capacity_text(served: Served) -> str:
    found = served.service.capacity
    if found is None:
        return "not sought"
    met, missed = found.highest_met_per_s, found.lowest_missed_per_s
    low = "no rate met the objective" if met is None else f"{met:,.0f}/s met it"
    high = "none missed it" if missed is None else f"{missed:,.0f}/s missed it"
    sure = quantity.percent(found.confidence)
    return f"{low}, {high} (confidence {sure}, {found.verdict})"


def _spec(point: Point, data: dict[str, Columns], legend: Legend) -> Spec:
    members = legend.among(point.cells)
    reach = [float(one) for one in data["rates"]["y"] if isinstance(one, int | float)]
    y = latency_axis("y", name_of(_asked(point)), reach, point.objective)
    x = quantitative("x", "requests a second", scale={"zero": False, "padding": 12})
    shown = tooltip(
        *(("series", "service"), ("rate", "rate"), ("said", name_of(_asked(point)))),
        *(("meets", "objective"), ("verdict", "verdict")),
    )
    told = {"color": colours(members), "strokeDash": dashes(members)}

    # Vega warns of a layer without data.
    ends: dict[str, Spec] = {"capacity": {"field": "x2"}, "open_ended": {"value": "width"}}

    def bar(name: str, end: Spec) -> Spec:
        return {
            "data": {"name": name},
            "mark": {"type": "rule", "strokeWidth": 6, "opacity": 0.6},
            "encoding": {
                "x": x,
                "x2": end,
                "y": y,
                "color": colours(members),
                "tooltip": tooltip(("series", "service"), ("said", "capacity")),
            },
        }

    return view(
        [
            {
                "data": {"name": "rates"},
                "mark": {
                    "type": "line",
                    "strokeWidth": 1.6,
                    "invalid": "break-paths-filter-domains",
                },
                "encoding": {"x": x, "y": y, **told},
            },
            *(bar(name, end) for name, end in ends.items() if data[name]["x"]),
            *marks("rates", {"x": x, "y": y}, members, shown=shown),
            *limit_layers(point.objective, y),
        ]
    )


def _table(title: str, point: Point, legend: Legend) -> Table:
    rows = []
    for served in point.served:
        who = legend.series(served.cell).name
        for one, text in _points(served, _asked(point)):
            met = "—" if one.meets is None or one.verdict == "void" else WORDS[one.meets]
            rows.append(Row((who, f"{one.rate_per_s:,g}/s", text, met, one.verdict), one.verdict))
        knee = served.service.knee
        if knee is not None:
            rows.append(Row((who, "knee", knee_words(knee), "", knee.verdict), knee.verdict))
        if served.service.capacity is not None:
            state = served.service.capacity.verdict
            rows.append(Row((who, "capacity", _capacity_text(served), "", state), state))
    columns = ("service", "rate", name_of(_asked(point)), "objective", "verdict")
    return Table(title, columns, tuple(rows))
