"""Values side by side: a row a workload, in it a lane for each variant, on one logarithmic axis.

This is how relative times, memory and start-up are drawn. A void number has no mark: the word
stands in its lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.finding import VerdictState
from runfair.report.page.cast import Member
from runfair.report.page.drawing import (
    NUMBER_LABEL,
    colours,
    log_scale,
    log_ticks,
    marks,
    quantitative,
    rounded,
    size_ticks,
    tooltip,
    view,
)
from runfair.report.page.picture import Columns, Spec

LANE_HEIGHT = 13
ROW_GAP = 12


@dataclass(frozen=True)
class Lane:
    """`value` is None where there is nothing to draw: then `said` is shown in its place."""

    row: str
    member: Member
    value: float | None
    interval: tuple[float, float] | None
    verdict: VerdictState | None
    said: str


@dataclass(frozen=True)
class Axis:
    title: str
    label: str = NUMBER_LABEL
    of_two: bool = False
    reference: float | None = None


def lanes_spec(lanes: Sequence[Lane], members: Sequence[Member], axis: Axis) -> Spec:
    """The data are `values` and `words`, as `lanes_data` gives them."""
    reach = [one.value for one in lanes if one.value is not None]
    reach += [end for one in lanes if one.interval is not None for end in one.interval]
    if axis.reference is not None:
        reach.append(axis.reference)
    reach = [one for one in reach if one > 0] or [1.0, 10.0]
    rows = list(dict.fromkeys(one.row for one in lanes))
    names = [one.name for one in members]
    place: dict[str, object] = {
        "y": {
            "field": "row",
            "type": "nominal",
            "title": None,
            "scale": {"domain": rows, "paddingInner": 0.12, "paddingOuter": 0.06},
            "axis": {"grid": False, "labelLimit": 220, "tickBand": "extent"},
        },
        "yOffset": {"field": "series", "type": "nominal", "scale": {"domain": names}},
    }
    ticks = size_ticks(reach) if axis.of_two else log_ticks(reach)
    x = quantitative(
        "value",
        axis.title,
        scale=log_scale(reach),
        axis={"values": ticks, "labelExpr": axis.label},
    )
    shown = tooltip(("row", "workload"), ("series", "variant"), ("said", axis.title))
    layers: list[Spec] = []
    if axis.reference is not None:
        layers.append(
            {
                "data": {"values": [{"value": axis.reference}]},
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"x": x},
            }
        )
    layers += [
        {
            "data": {"name": "values"},
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                **place,
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "color": colours(members),
            },
        },
        *marks(
            "values", {**place, "x": x}, members, shown=[*shown, *tooltip(("verdict", "verdict"))]
        ),
        {
            "data": {"name": "words"},
            "mark": {
                "type": "text",
                "align": "left",
                "fontSize": 10,
                "fontStyle": "italic",
                "baseline": "middle",
            },
            "encoding": {
                **place,
                "x": {"value": 4},
                "text": {"field": "word", "type": "nominal"},
                "tooltip": shown,
            },
        },
    ]
    height = len(rows) * (max(1, len(members)) * LANE_HEIGHT + ROW_GAP)
    return view(layers, height)


def lanes_data(lanes: Sequence[Lane]) -> dict[str, Columns]:
    drawn = [one for one in lanes if one.value is not None and one.value > 0]
    others = [one for one in lanes if one.value is None or one.value <= 0]
    ends = [one.interval or (one.value or 0.0, one.value or 0.0) for one in drawn]
    return {
        "values": {
            "row": [one.row for one in drawn],
            "series": [one.member.name for one in drawn],
            "value": [rounded(one.value or 0.0) for one in drawn],
            "low": [rounded(low) for low, _ in ends],
            "high": [rounded(high) for _, high in ends],
            "verdict": [one.verdict for one in drawn],
            "said": [one.said for one in drawn],
        },
        "words": {
            "row": [one.row for one in others],
            "series": [one.member.name for one in others],
            "word": [_word(one) for one in others],
            "said": [one.said for one in others],
        },
    }


def _word(lane: Lane) -> str:
    """Whose it is, as it has no mark of its own; a lane is narrow, so few letters."""
    name = lane.member.name
    short = name if len(name) <= 28 else f"{name[:27]}…"
    return f"{short}: {'void' if lane.verdict == 'void' else 'no number'}"
