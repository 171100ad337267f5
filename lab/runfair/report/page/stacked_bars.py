"""Bars of parts: a bar a service, its parts by kind one after another, each with its name in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runfair.report.page.drawing import colours, quantitative, rounded, tooltip, view
from runfair.report.page.palette import Series, colour
from runfair.report.page.picture import Columns, Spec, Value

NAMED_FROM = 0.16  # of the longest bar: narrower parts have no room for a name
HEIGHT = 34


@dataclass(frozen=True)
class Part:
    length: float
    said: str


@dataclass(frozen=True)
class Bar:
    """`parts` by kind; without any, `word` stands in the bar's place."""

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


def bars_spec(bars: Sequence[Bar], kinds: Sequence[str], axis: str, quantity: str) -> Spec:
    """The data are `bars_data`'s. `kinds` have a colour each, the same whoever lacks some; `axis`
    says what a length is, `quantity` what a part's own number is called."""
    # Kinds are no services: the page's colours, in the page's order.
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
            "tooltip": tooltip(("row", "service"), ("series", "kind"), ("said", quantity)),
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
