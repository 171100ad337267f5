"""A chart of values side by side on one logarithmic axis: a row for each workload, and in it a lane
for each variant.

Relative times, memory and start-up are drawn this way. A void number has no mark; its lane shows
the word `void`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.result import CellResult, Figure, GeometricMean, Interval
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
from runfair.report.page.palette import Series
from runfair.report.page.picture import Columns, Spec
from runfair.wording import quantity
from runfair.wording.quantity import bounded_ratio, interval, ratio
from runfair.wording.text import brief

LANE_HEIGHT = 13
ROW_GAP = 12


@dataclass(frozen=True)
class Lane:
    """A variant's place in a row. If `value` is None, the text `said` is shown instead
    of a mark.
    """

    row: str
    series: Series
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


def lanes_spec(lanes: Sequence[Lane], members: Sequence[Series], axis: Axis) -> Spec:
    """The chart's specification. The chart's data are the `values` and `words` that `lanes_data`
    returns.
    """
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
            "series": [one.series.name for one in drawn],
            "value": [rounded(one.value or 0.0) for one in drawn],
            "low": [rounded(low) for low, _ in ends],
            "high": [rounded(high) for _, high in ends],
            "verdict": [one.verdict for one in drawn],
            "said": [one.said for one in drawn],
        },
        "words": {
            "row": [one.row for one in others],
            "series": [one.series.name for one in others],
            "word": [_word(one) for one in others],
            "said": [one.said for one in others],
        },
    }


def _word(lane: Lane) -> str:
    """The text in a lane without a mark, with the name of the variant. The text is short because a
    lane is narrow.
    """
    name = lane.series.name
    short = name if len(name) <= 28 else f"{name[:27]}…"
    return f"{short}: {'void' if lane.verdict == 'void' else 'no number'}"


Shown = Callable[[Figure], tuple[float | None, Interval | None, str]]
"""A value, its interval and its text."""


def relative(figure: Figure) -> tuple[float | None, Interval | None, str]:
    """The ratio to the baseline, as a `Shown`."""
    one = figure.relative
    if one is None or figure.verdict == "void":
        return None, None, "void" if figure.verdict == "void" else "no ratio"
    if one.bounds is not None:
        said = bounded_ratio(one.bounds)
        return (one.value, None, f"× {said}") if said else (None, None, quantity.NOT_BOUNDED)
    return one.value, one.interval, f"× {ratio(one)}"


def absolute(text: Callable[[float], str]) -> Shown:
    """The figure itself, as a `Shown`, written by `text`."""

    def shown(figure: Figure) -> tuple[float | None, Interval | None, str]:
        if figure.value is None:
            return None, None, "void" if figure.verdict == "void" else "not measured"
        if figure.bounds is not None:
            return figure.value, None, quantity.bounded(figure.value, figure.bounds, figure.unit)
        limits = ""
        if figure.interval is not None:
            limits = f" [{text(figure.interval[0])}, {text(figure.interval[1])}]"
        return figure.value, figure.interval, text(figure.value) + limits

    return shown


def figure_lane(
    row: str, series: Series, cell: CellResult, figure_name: FigureName, shown: Shown
) -> Lane:
    figure = cell.figures.get(figure_name)
    if cell.absent:
        return Lane(row, series, None, None, None, brief(cell.absent))
    if figure is None or not cell.executions + cell.failed:
        return Lane(row, series, None, None, None, "not measured")
    value, limits, said = shown(figure)
    if cell.failed:
        said += f" · {cell.failed} of {cell.failed + cell.executions} executions failed"
    return Lane(row, series, value, limits, figure.verdict, said)


def mean_lane(row: str, series: Series, mean: GeometricMean) -> Lane:
    if mean.verdict == "void":
        return Lane(row, series, None, None, "void", "void")
    if mean.bounds is not None:
        known = bounded_ratio(mean.bounds)
        said = f"× {known}" if known else quantity.NOT_BOUNDED
        return Lane(row, series, mean.value if known else None, None, mean.verdict, said)
    said = f"× {quantity.three_digits(mean.value)}{interval(mean.interval)}"
    return Lane(row, series, mean.value, mean.interval, mean.verdict, said)
