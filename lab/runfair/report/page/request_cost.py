"""Pictures of the cost of each service's mean request: its time, part by part, and its system calls
by kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from runfair.evidence.load import LoadEvidence
from runfair.formats.finding import FigureName, VerdictState, worst
from runfair.formats.service_result import RequestSystemCalls
from runfair.report.page.drawing import colours, quantitative, rounded, tooltip, view
from runfair.report.page.operating_point import Point, Served
from runfair.report.page.palette import Legend, Series, colour
from runfair.report.page.picture import Columns, Picture, Spec, Value, judgement
from runfair.report.processor_tables import USER_ONLY
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

NAMED_FROM = 0.16  # as a share of the longest bar; narrower parts have no room for a name
HEIGHT = 34


@dataclass(frozen=True)
class Part:
    length: float
    said: str


@dataclass(frozen=True)
class Bar:
    """A service's bar. `parts` has the parts of the bar by kind. If `parts` is empty, the text
    `word` is shown in place of the bar.
    """

    row: str
    parts: Mapping[str, Part]
    word: str = ""


def bars_data(bars: Sequence[Bar]) -> dict[str, Columns]:
    parts: dict[str, list[Value]] = {
        name: [] for name in ("row", "series", "start", "end", "middle", "name", "said")
    }
    lengths = [sum(part.length for part in bar.parts.values()) for bar in bars]
    longest = max(lengths, default=0.0)
    for bar in bars:
        start = 0.0
        for kind, part in bar.parts.items():
            if part.length <= 0:
                continue
            parts["row"].append(bar.row)
            parts["series"].append(kind)
            parts["start"].append(rounded(start))
            parts["end"].append(rounded(start + part.length))
            parts["middle"].append(rounded(start + part.length / 2))
            parts["name"].append(kind if part.length > NAMED_FROM * longest else "")
            parts["said"].append(part.said)
            start += part.length
    others = [bar for bar in bars if not bar.parts]
    words = {"row": [bar.row for bar in others], "word": [bar.word for bar in others]}
    return {"parts": parts, "words": words}


def bars_spec(bars: Sequence[Bar], kinds: Sequence[str], axis: str, named: str) -> Spec:
    """The specification of a bar chart. The chart's data come from `bars_data`.

    Each of `kinds` has the same colour in every bar. `axis` is the name of the unit of a bar's
    length; `named` is the name of a single part's number.
    """
    # The kinds of parts are not services, so they get the page's colours in the page's order.
    members = [Series(name, number) for number, name in enumerate(kinds)]
    used = {kind for bar in bars for kind, part in bar.parts.items() if part.length > 0}
    row = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": [bar.row for bar in bars]},
        "axis": {"labelLimit": 220},
    }
    x = quantitative("start", axis)
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
            "color": colours([one for one in members if one.name in used]),
            "tooltip": tooltip(("row", "service"), ("series", "kind"), ("said", named)),
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
    return view([bar, text, words], max(1, len(bars)) * HEIGHT)


KINDS = ("own CPU", "kernel CPU", "run queue", "database", "other waits")
CAPTION = (
    "The bars show the parts of a request's mean latency in the steady part of the load. All "
    "times are means over the executions, because means add up, whereas the other tables show "
    "medians. The parts are CPU time in the program and in the kernel, waiting for a "
    "processor, queries (with their round trip), and other waits, such as waiting for a "
    "connection. CPU time includes all threads, so background work can make the sum of the "
    "parts exceed the mean latency. A dash in the table means that a part is unknown, or that "
    "the service has no such part (for example no database). An unknown part is contained in "
    "another part: kernel CPU in own CPU, run queue and database in other waits."
)
FIGURES: tuple[FigureName, ...] = ("cpu", "p50")  # the parts are void if one of these is


@dataclass(frozen=True)
class _Split:
    """The mean request's time. `parts_ns` has the parts that are known."""

    mean_ns: float
    parts_ns: dict[str, float]


def cost_picture(point: Point, legend: Legend) -> Picture | None:
    """The picture of the cost; None if no service's cost is known."""
    splits = [(served, _split(served)) for served in point.served]
    if not any(split for _, split in splits):
        return None
    title = f"Cost of a request · {point.title}"
    rows = [(legend.series(served.cell).name, served, split) for served, split in splits]
    bars = [_bar(name, split) for name, _, split in rows]
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION,
        spec=bars_spec(bars, KINDS, "mean time per request, ms", "time"),
        data=bars_data(bars),
        table=_table(title, rows),
        judgement=judgement(point.cells, FIGURES),
    )


def _split(served: Served) -> _Split | None:
    """The mean request's time in parts; None if its CPU time or its latency is void, or if its CPU
    time was not accounted for."""
    loads = [load for _, load in served.loaded if load.mean_ns is not None and load.own.cpu_ns]
    if served.service.cost is None or not loads or _state(served, *FIGURES) == "void":
        return None
    mean_ns = fmean(load.mean_ns or 0.0 for load in loads)
    own = fmean(load.own.cpu_ns or 0.0 for load in loads)
    kernel = _mean(_kernel_ns(load) for load in loads)
    told = {
        "own CPU": own - (kernel or 0.0),
        "kernel CPU": kernel,
        "run queue": _mean(load.own.run_queue_ns for load in loads),
        "database": _mean(load.database_ns_per_request for load in loads),
    }
    parts = {kind: part_ns for kind, part_ns in told.items() if part_ns is not None}
    parts["other waits"] = max(0.0, mean_ns - sum(parts.values()))
    return _Split(mean_ns, parts)


def _kernel_ns(load: LoadEvidence) -> float | None:
    share = load.own.system_share
    return None if share is None else share * (load.own.cpu_ns or 0.0)


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the executions' values; None if the value of one execution is unknown."""
    known = list(values)
    return None if None in known else fmean(one for one in known if one is not None)


_Rows = list[tuple[str, Served, _Split | None]]


def _bar(row: str, split: _Split | None) -> Bar:
    if split is None:
        return Bar(row, {}, "no number")
    return Bar(
        row,
        {
            kind: Part(length_ns / 1e6, _share(length_ns, split))
            for kind, length_ns in split.parts_ns.items()
        },
    )


def _share(length_ns: float | None, split: _Split) -> str:
    if length_ns is None:
        return "—"
    share = quantity.percent(length_ns / split.mean_ns)
    return f"{quantity.duration(length_ns)}, {share} of the mean"


def _table(title: str, rows: _Rows) -> Table:
    made = []
    counts = any(served.service.cost and served.service.cost.cycles for _, served, _ in rows)
    for name, served, split in rows:
        state = _state(served, *FIGURES)
        if split is None:
            texts = ["void" if state == "void" else "—"] * (len(KINDS) + 1)
        else:
            texts = [quantity.duration(split.mean_ns)]
            texts += [_share(split.parts_ns.get(kind), split) for kind in KINDS]
        texts += [_cycles(served)] * counts
        made.append(Row((name, *texts, state or ""), state))
    cycles = ["cycles"] if counts else []
    return Table(title, ("service", "mean request", *KINDS, *cycles, "verdict"), tuple(made))


def _cycles(served: Served) -> str:
    cost = served.service.cost
    if _state(served, "cpu") == "void":
        return "void"
    if cost is None or cost.cycles is None:
        return "—"
    return quantity.counted(cost.cycles) + (USER_ONLY if cost.user_only else "")


CALLS = ("read", "write", "wait", "lock", "other")
CALLS_CAPTION = (
    "The bars show the median number of system calls per request, for each kind of call. The "
    "kinds are reads and writes of sockets and files, waits for events and time, locks "
    "(futexes), and others. The kernel counted the calls during a separate load at the rate "
    "of the operating point. This load is used for nothing else. If there is less than one "
    "call per request, a single call serves several requests."
)
_CallRows = list[tuple[str, Served]]


def system_call_picture(point: Point, legend: Legend) -> Picture | None:
    """The picture of the system calls; None if no service's system calls were counted."""
    rows = [(legend.series(served.cell).name, served) for served in point.served]
    if not any(served.service.system_calls for _, served in rows):
        return None
    title = f"System calls per request · {point.title}"
    bars = [_calls_bar(name, served) for name, served in rows]
    return Picture(
        name=anchor(title),
        title=title,
        caption=CALLS_CAPTION,
        spec=bars_spec(bars, CALLS, "system calls a request", "calls a request"),
        data=bars_data(bars),
        table=_calls_table(title, rows),
        judgement=judgement(point.cells, ("cpu",)),
    )


def _calls_bar(row: str, served: Served) -> Bar:
    calls = served.service.system_calls
    if calls is None:
        return Bar(row, {}, _untold(served))
    parts = _by_kind(calls)
    return Bar(row, {one: Part(n, quantity.three_digits(n)) for one, n in parts.items()})


def _by_kind(calls: RequestSystemCalls) -> dict[str, float]:
    return dict(
        zip(CALLS, (calls.read, calls.write, calls.wait, calls.lock, calls.other), strict=True)
    )


def _state(served: Served, *figures: FigureName) -> VerdictState | None:
    """The worst of the verdicts of these figures; None if the service has none of them."""
    known = served.cell.figures
    found = [known[name].verdict for name in figures if name in known]
    return worst(found) if found else None


def _untold(served: Served) -> str:
    return "void" if _state(served, "cpu") == "void" else "not counted"


def _calls_table(title: str, rows: _CallRows) -> Table:
    made = []
    for name, served in rows:
        calls, state = served.service.system_calls, _state(served, "cpu")
        if calls is None:
            texts = [_untold(served)] * (len(CALLS) + 1)
        else:
            counts = list(_by_kind(calls).values())
            texts = [quantity.three_digits(one) for one in (sum(counts), *counts)]
        made.append(Row((name, *texts, state or ""), state))
    return Table(title, ("service", "all", *CALLS, "verdict"), tuple(made))
