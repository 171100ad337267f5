"""Pictures of latency by percentile. The axis is that of HdrHistogram's plots: p90, p99, p99.9 and
so on are equally far apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runfair.fairness.figures import LATENCIES, PERCENTILES
from runfair.formats.result import CellResult
from runfair.formats.service import SHARES
from runfair.report.page.drawing import colours, dashes, marks, quantitative, rounded, tooltip, view
from runfair.report.page.operating_point import Point, Served, latency_axis, limit_layers
from runfair.report.page.palette import Legend
from runfair.report.page.picture import TABLE_MARKS, Columns, Picture, Spec, Value, judgement
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

STEPS_A_NINE = 20
HEIGHT = 300
LINE = 14
PERCENT_LABEL = "format(100 - 100 / datum.value, '.7~r') + '%'"
CAPTION = (
    "The picture shows the percentiles of the latency in the steady part of the load. The "
    "latency of a request is the time from the instant at which the request is due until its "
    "answer is complete. The strong line is the median of the executions, and each pale line "
    f"is an execution. Marks show the measured values. {TABLE_MARKS} A line ends at the last "
    "percentile that is not void. Both axes are logarithmic."
)


def percentile_picture(point: Point, legend: Legend) -> Picture:
    title = f"Latency by percentile · {point.title}"
    data = _data(point, legend)
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION,
        spec=_spec(point, data, legend),
        data=data,
        table=_table(title, point, legend),
        judgement=judgement(point.cells, LATENCIES),
    )


def _last_share(cell: CellResult) -> float | None:
    """The highest percentile that may be shown; None if even the median may not be shown."""
    last = None
    for name in PERCENTILES:
        figure = cell.figures.get(name)
        if figure is None or figure.verdict == "void" or figure.value is None:
            break
        last = SHARES[name]
    return last


def _curves(served: Served, share: float) -> tuple[list[float], list[list[float]]]:
    """The places on the axis, 1 / (1 - share), and the latencies of each execution at these
    places."""
    nines = np.log10(1 / (1 - share))
    places = np.append(10 ** np.arange(0, nines, 1 / STEPS_A_NINE), 1 / (1 - share))
    curves = [
        [float(load.latency.value_at(min(1 - 1 / place, share)) or 0) for place in places]
        for _, load in served.loaded
    ]
    return [float(f"{place:.5g}") for place in places], curves


def _data(point: Point, legend: Legend) -> dict[str, Columns]:
    middle: dict[str, list[Value]] = {name: [] for name in ("x", "y", "series")}
    single: dict[str, list[Value]] = {name: [] for name in ("x", "y", "series", "run")}
    figures: dict[str, list[Value]] = {
        name: [] for name in ("x", "y", "series", "verdict", "percentile", "said")
    }
    for served in point.served:
        share, who = _last_share(served.cell), legend.series(served.cell).name
        if share is None or not served.loaded:
            continue
        places, curves = _curves(served, share)
        middle["x"] += places
        middle["y"] += [rounded(float(one)) for one in np.median(curves, axis=0)]
        middle["series"] += [who] * len(places)
        for number, curve in enumerate(curves, 1):
            single["x"] += places
            single["y"] += [rounded(one) for one in curve]
            single["series"] += [who] * len(places)
            single["run"] += [f"{who} {number}"] * len(places)
        for name in PERCENTILES:
            figure = served.cell.figures[name]
            if SHARES[name] > share or figure.value is None:
                continue
            figures["x"].append(float(f"{1 / (1 - SHARES[name]):.5g}"))
            figures["y"].append(rounded(figure.value))
            figures["series"].append(who)
            figures["verdict"].append(figure.verdict)
            figures["percentile"].append(name_of(name))
            figures["said"].append(latency_text(served.cell, name))
    drawn = set(middle["series"])
    names = [legend.series(one.cell).name for one in point.served]
    absent = [one for one in names if one not in drawn]
    words: Columns = {
        "place": [HEIGHT - 12 - LINE * number for number in range(len(absent))],
        "word": [f"{one} has no line (see the table)" for one in absent],
    }
    return {"middle": middle, "single": single, "figures": figures, "words": words}


def latency_text(cell: CellResult, name: str) -> str:
    """A figure's bounds, or its value with its interval; `void` or a dash if it has no value. A
    flagged figure has a star."""
    figure = next((one for known, one in cell.figures.items() if known == name), None)
    if figure is None:
        return "—"
    if figure.value is None:
        return "void" if figure.verdict == "void" else "—"
    star = "*" if figure.verdict == "flagged" else ""
    text = quantity.bounded(figure.value, figure.bounds, figure.unit) + star
    if figure.bounds is not None or figure.interval is None:
        return text
    low, high = (quantity.duration(end) for end in figure.interval)
    return f"{text} [{low}, {high}]"


def _reach(columns: Columns) -> list[float]:
    return [float(value) for value in columns["y"] if isinstance(value, int | float)]


def _spec(point: Point, data: dict[str, Columns], legend: Legend) -> Spec:
    members = legend.among(point.cells)
    y = latency_axis("y", "latency", _reach(data["single"]), point.objective)
    last = max((float(one) for one in data["middle"]["x"] if isinstance(one, float)), default=100.0)
    x = quantitative(
        "x",
        "percentile",
        scale={"type": "log", "domain": [1, last * 1.05], "nice": False},
        axis={"values": [1, 2, 10, 100, 1000, 10_000], "labelExpr": PERCENT_LABEL},
    )
    shown = tooltip(
        *(("series", "service"), ("percentile", "percentile")),
        *(("said", "latency"), ("verdict", "verdict")),
    )
    told = {"x": x, "y": y, "color": colours(members), "strokeDash": dashes(members)}
    return view(
        [
            {
                "data": {"name": "single"},
                "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.3},
                "encoding": {**told, "detail": [{"field": "run", "type": "nominal"}]},
            },
            {
                "data": {"name": "middle"},
                "mark": {"type": "line", "strokeWidth": 2.2},
                "encoding": told,
            },
            *marks("figures", {"x": x, "y": y}, members, shown=shown),
            *limit_layers(point.objective, y),
            {
                "data": {"name": "words"},
                "mark": {"type": "text", "align": "left", "fontStyle": "italic"},
                "encoding": {
                    "x": {"value": 6},
                    "y": {"field": "place", "type": "quantitative", "scale": None, "axis": None},
                    "text": {"field": "word", "type": "nominal"},
                },
            },
        ],
        HEIGHT,
    )


def _table(title: str, point: Point, legend: Legend) -> Table:
    columns = ("service", *(name_of(name) for name in LATENCIES))
    rows: Sequence[Row] = [
        Row((legend.series(cell).name, *(latency_text(cell, name) for name in LATENCIES)), None)
        for cell in point.cells
    ]
    return Table(title, columns, tuple(rows))
