"""Where a mean request's time goes, kind by kind, for each service."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from runfair.report import quantity
from runfair.report.grid import Row, Table
from runfair.report.page.cast import Cast, Member
from runfair.report.page.drawing import colours, quantitative, rounded, tooltip, view
from runfair.report.page.judgement import judgement
from runfair.report.page.operating_point import Point, Served
from runfair.report.page.palette import colour
from runfair.report.page.picture import Columns, Picture, Spec, Value
from runfair.report.page.wording import anchor

KINDS = ("own CPU", "kernel CPU", "run queue", "database", "other waits")
# Kinds are no services: the page's colours, in the page's order, and each part has its name in it.
_PARTS = [Member(name, number) for number, name in enumerate(KINDS)]
NAMED_FROM = 0.16  # of the longest bar: narrower parts have no room for a name
BAR = 34
CAPTION = (
    "The mean latency of a request in the steady part, by what it was spent on: CPU time in the "
    "program and in the kernel, waiting for a processor, queries (their round trip included), and "
    "what is left: other waits, among them those for a connection. CPU time is that of all "
    "threads, so that work beside the requests can make the parts exceed the mean."
)


@dataclass(frozen=True)
class _Split:
    mean_ns: float
    parts_ns: dict[str, float]


def cost_picture(point: Point, cast: Cast) -> Picture | None:
    """None where no service's cost is known."""
    splits = [(served, _split(served)) for served in point.served]
    if not any(split for _, split in splits):
        return None
    title = f"Cost of a request · {point.title}"
    rows = [(cast.member(served.cell).name, served, split) for served, split in splits]
    data = _data(rows)
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION,
        spec=_spec([name for name, _, _ in rows], data),
        data=data,
        table=_table(title, rows),
        judgement=judgement(point.cells, ("cpu",)),
    )


def _split(served: Served) -> _Split | None:
    """None where the CPU time of a request is void or was not accounted for."""
    cost, cpu = served.service.cost, served.cell.figures.get("cpu")
    means = [load.mean_ns for _, load in served.loaded if load.mean_ns is not None]
    if cost is None or cpu is None or cpu.value is None or not means:
        return None
    mean_ns = median(means)
    kernel = (cost.system_share or 0.0) * cpu.value
    parts = {
        "own CPU": cpu.value - kernel,
        "kernel CPU": kernel,
        "run queue": cost.run_queue_ns or 0.0,
        "database": cost.database_ns or 0.0,
    }
    parts["other waits"] = max(0.0, mean_ns - sum(parts.values()))
    return _Split(mean_ns, parts)


_Rows = list[tuple[str, Served, _Split | None]]


def _data(rows: _Rows) -> dict[str, Columns]:
    parts: dict[str, list[Value]] = {
        name: [] for name in ("row", "series", "start", "end", "middle", "name", "said")
    }
    longest = max((sum(split.parts_ns.values()) for _, _, split in rows if split), default=1.0)
    for row, _, split in rows:
        start = 0.0
        for kind, length in split.parts_ns.items() if split is not None else ():
            if length <= 0:
                continue
            parts["row"].append(row)
            parts["series"].append(kind)
            parts["start"].append(rounded(start / 1e6))
            parts["end"].append(rounded((start + length) / 1e6))
            parts["middle"].append(rounded((start + length / 2) / 1e6))
            parts["name"].append(kind if length > NAMED_FROM * longest else "")
            parts["said"].append(_share(length, split))
            start += length
    void = [row for row, _, split in rows if split is None]
    return {"parts": parts, "words": {"row": void, "word": ["no number"] * len(void)}}


def _share(length: float, split: _Split | None) -> str:
    if split is None:
        return "—"
    return f"{quantity.duration(length)}, {quantity.percent(length / split.mean_ns)} of the mean"


def _spec(names: list[str], data: dict[str, Columns]) -> Spec:
    row = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names},
        "axis": {"labelLimit": 220},
    }
    used = [one for one in _PARTS if one.name in data["parts"]["series"]]
    x = quantitative("start", "milliseconds of a mean request")
    bar = {
        "data": {"name": "parts"},
        "mark": {
            "type": "bar",
            "stroke": colour("background"),
            "strokeWidth": 2,
            "height": {"band": 0.7},
        },
        "encoding": {
            "y": row,
            "x": x,
            "x2": {"field": "end"},
            "color": colours(used),
            "tooltip": tooltip(("row", "service"), ("series", "kind"), ("said", "time")),
        },
    }
    text = {
        "data": {"name": "parts"},
        "mark": {"type": "text", "fontSize": 10, "color": colour("background")},
        "encoding": {
            "y": row,
            "x": {**x, "field": "middle"},
            "text": {"field": "name", "type": "nominal"},
        },
    }
    words = {
        "data": {"name": "words"},
        "mark": {"type": "text", "align": "left", "fontStyle": "italic"},
        "encoding": {
            "y": row,
            "x": {"value": 4},
            "text": {"field": "word", "type": "nominal"},
        },
    }
    return view([bar, text, words], max(1, len(names)) * BAR)


def _table(title: str, rows: _Rows) -> Table:
    made = []
    for name, served, split in rows:
        cpu = served.cell.figures.get("cpu")
        state = cpu.verdict if cpu is not None else None
        if split is None:
            texts = ["void" if state == "void" else "—"] * (len(KINDS) + 1)
        else:
            texts = [quantity.duration(split.mean_ns)]
            texts += [_share(split.parts_ns[kind], split) for kind in KINDS]
        made.append(Row((name, *texts, state or ""), state))
    return Table(title, ("service", "mean request", *KINDS, "verdict"), tuple(made))
