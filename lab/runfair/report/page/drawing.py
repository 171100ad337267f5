"""The parts that the specifications of all pictures share: axes, scales, tooltips, style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt

from runfair.report.page.palette import Series, colour
from runfair.report.page.picture import Spec

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
HEIGHT = 260
MOST_SIZE_TICKS = 9
PADDED = 1.08  # the room at the ends of a scale, so that no mark touches the frame

# Expressions in Vega's language. No text of a run ever stands in such an expression.
DURATION_LABEL = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '~r') + ' s' : "
    "datum.value >= 1e6 ? format(datum.value / 1e6, '~r') + ' ms' : "
    "datum.value >= 1e3 ? format(datum.value / 1e3, '~r') + ' µs' : "
    "format(datum.value, '~r') + ' ns'"
)
SIZE_LABEL = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '~r') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '~r') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '~r') + ' KiB' : "
    "format(datum.value, '~r') + ' B'"
)
NUMBER_LABEL = "format(datum.value, ',~r')"

STYLE: Spec = {
    "background": "transparent",
    # Screen readers skip the picture and read the table beside it.
    "aria": False,
    "mark": {"aria": False},
    "font": "system-ui, sans-serif",
    "padding": 4,
    "view": {"stroke": colour("grid")},
    "axis": {
        "labelColor": colour("quiet"),
        "titleColor": colour("quiet"),
        "titleFontWeight": "normal",
        "gridColor": colour("grid"),
        "domainColor": colour("line"),
        "tickColor": colour("line"),
        "labelOverlap": "greedy",
        "labelFontSize": 11,
        "titleFontSize": 11,
    },
    "legend": {
        "labelColor": colour("ink"),
        "titleColor": colour("quiet"),
        "orient": "bottom",
        "direction": "vertical",
        "columns": 2,
        "labelLimit": 300,
        "symbolSize": 80,
        "symbolOpacity": 1,
        "labelFontSize": 11,
    },
    "title": {"color": colour("ink"), "anchor": "start", "fontSize": 13},
    "text": {"color": colour("quiet")},
    "rule": {"color": colour("line")},
}


def view(layers: Sequence[Spec], height: int = HEIGHT) -> Spec:
    """The specification of a picture that is as wide as its place on the page."""
    return {
        "$schema": SCHEMA,
        "config": STYLE,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": list(layers),
    }


def quantitative(field: str, title: str, **more: object) -> dict[str, object]:
    return {"field": field, "type": "quantitative", "title": title, **more}


def colours(members: Sequence[Series]) -> Spec:
    scale = {"domain": [one.name for one in members], "range": [one.colour for one in members]}
    return _told(scale)


def shapes(members: Sequence[Series]) -> Spec:
    scale = {"domain": [one.name for one in members], "range": [one.shape for one in members]}
    return _told(scale)


def dashes(members: Sequence[Series]) -> Spec:
    scale = {"domain": [one.name for one in members], "range": [one.dash for one in members]}
    return _told(scale)


def _told(scale: Spec) -> Spec:
    # Legends of the same field are merged into one: colour, shape and dash together.
    return {"field": "series", "type": "nominal", "scale": scale, "title": None}


def marks(
    data: str,
    encoding: Mapping[str, object],
    members: Sequence[Series],
    *,
    size: int = 64,
    shown: Sequence[Spec] = (),
) -> list[Spec]:
    """A layer of points. A point is filled if its `verdict` is fair, otherwise hollow."""
    told = {**encoding, "color": colours(members), "shape": shapes(members)}
    point = {"type": "point", "size": size, "strokeWidth": 1.8, "opacity": 1}
    hollow = {**point, "fill": colour("background")}
    return [
        {
            "data": {"name": data},
            "mark": hollow,
            "encoding": {**told, "tooltip": list(shown)},
        },
        {
            "data": {"name": data},
            "transform": [{"filter": "datum.verdict === 'fair'"}],
            "mark": {**point, "filled": True},
            "encoding": {**told, "tooltip": list(shown)},
        },
    ]


def joined(
    data: str, places: Mapping[str, Spec], members: Sequence[Series], shown: list[Spec]
) -> list[Spec]:
    """Layers of points with their intervals (`low` to `high`), joined by lines in the order of x. A
    line is interrupted at a void point.
    """
    own = {"data": {"name": data}}
    colour_of = {"color": colours(members)}
    return [
        {
            **own,
            "mark": {
                "type": "line",
                "strokeWidth": 1.8,
                "invalid": "break-paths-filter-domains",
            },
            "encoding": {**places, **colour_of, "strokeDash": dashes(members)},
        },
        {
            **own,
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {
                "x": places["x"],
                "y": {**places["y"], "field": "low"},
                "y2": {"field": "high"},
                **colour_of,
            },
        },
        *marks(data, places, members, size=60, shown=shown),
    ]


def tooltip(*pairs: tuple[str, str]) -> list[Spec]:
    """A tooltip that shows fields under their titles. All fields are texts."""
    return [{"field": field, "type": "nominal", "title": title} for field, title in pairs]


def log_scale(values: Sequence[float]) -> Spec:
    """A logarithmic axis, from a little below the least value to a little above the greatest. All
    values must be positive.
    """
    low, high = min(values), max(values)
    return {"type": "log", "domain": [low / PADDED, high * PADDED], "nice": False}


def log_ticks(values: Sequence[float], most: int = 9) -> list[float]:
    """Ticks at round numbers over the range, few enough to be readable."""
    low, high = min(values) / PADDED, max(values) * PADDED
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks: list[float] = []
    for digits in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**decade for decade in decades for digit in digits]
        ticks = [float(f"{tick:.3g}") for tick in ticks if low <= tick <= high]
        if len(ticks) <= most:
            break
    if len(ticks) >= 3 or (ticks and high >= 10 * low):
        return ticks
    return _even_ticks(low, high)


def size_ticks(values: Sequence[float]) -> list[float]:
    """Ticks at powers of two over the range."""
    low, high = min(values) / PADDED, max(values) * PADDED
    first, last = floor(log10(low) / log10(2)), ceil(log10(high) / log10(2))
    step = max(1, ceil((last - first) / MOST_SIZE_TICKS))
    ticks = [2.0**power for power in range(first, last + 1, step) if low <= 2.0**power <= high]
    if len(ticks) >= 2:
        return ticks
    unit = 1024.0 ** floor(log10(low) / log10(1024)) if low >= 1 else 1.0
    return [tick * unit for tick in _even_ticks(low / unit, high / unit)]


def _even_ticks(low: float, high: float) -> list[float]:
    """Ticks at equal steps, used if the range is less than a power of two."""
    step = 10.0 ** floor(log10(high - low))
    for finer in (1.0, 0.5, 0.2, 0.1):
        first, last = ceil(low / (step * finer)), floor(high / (step * finer))
        if last - first >= 2:
            return [float(f"{number * step * finer:.6g}") for number in range(first, last + 1)]
    return [float(f"{high:.3g}")]


def rounded(value: float) -> float | int:
    """The value with four significant digits. Four digits are more than a picture can show, and
    take fewer bytes on the page."""
    short = float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


def reduced(values: npt.ArrayLike, columns: int) -> npt.NDArray[np.int64]:
    """The indices of fewer points that look the same in a picture, in ascending order.

    A mean, or every n-th point, would hide the single pause that a reader looks for. If there are
    at most 2 · `columns` values, all are kept. If there are more values, the least and the greatest
    value of each column are kept.
    """
    row = np.asarray(values)
    if columns < 1:
        raise ValueError("a picture needs at least one column")
    if len(row) <= 2 * columns:
        return np.arange(len(row), dtype=np.int64)
    edges = np.linspace(0, len(row), columns + 1).astype(np.int64)
    kept = [
        start + place
        for start, end in pairwise(edges)
        for place in (np.argmin(row[start:end]), np.argmax(row[start:end]))
    ]
    return np.unique(np.array(kept, dtype=np.int64))
