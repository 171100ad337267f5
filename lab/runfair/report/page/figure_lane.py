"""What a picture shows of a figure or a mean: value, interval, verdict, and all of it in words."""

from __future__ import annotations

from collections.abc import Callable

from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, Figure, GeometricMean, Interval
from runfair.report.page.cast import Member
from runfair.report.page.lanes import Lane
from runfair.wording import quantity
from runfair.wording.quantity import bounded_ratio, interval, ratio
from runfair.wording.text import brief

Shown = Callable[[Figure], tuple[float | None, Interval | None, str]]
"""Value, interval and its text."""


def relative(figure: Figure) -> tuple[float | None, Interval | None, str]:
    """The ratio to the baseline's."""
    one = figure.relative
    if one is None or figure.verdict == "void":
        return None, None, "void" if figure.verdict == "void" else "no ratio"
    if one.bounds is not None:
        said = bounded_ratio(one.bounds)
        return (one.value, None, f"× {said}") if said else (None, None, "not bounded")
    return one.value, one.interval, f"× {ratio(one)}"


def absolute(text: Callable[[float], str]) -> Shown:
    """The figure itself, in `text`'s words."""

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
    row: str, member: Member, cell: CellResult, figure_name: FigureName, shown: Shown
) -> Lane:
    figure = cell.figures.get(figure_name)
    if cell.absent:
        return Lane(row, member, None, None, None, brief(cell.absent))
    if figure is None or not cell.executions + cell.failed:
        return Lane(row, member, None, None, None, "not measured")
    value, limits, said = shown(figure)
    if cell.failed:
        said += f" · {cell.failed} of {cell.failed + cell.executions} executions failed"
    return Lane(row, member, value, limits, figure.verdict, said)


def mean_lane(row: str, member: Member, mean: GeometricMean) -> Lane:
    if mean.verdict == "void":
        return Lane(row, member, None, None, "void", "void")
    if mean.bounds is not None:
        known = bounded_ratio(mean.bounds)
        said = f"× {known}" if known else "not bounded"
        return Lane(row, member, mean.value if known else None, None, mean.verdict, said)
    said = f"× {quantity.three_digits(mean.value)}{interval(mean.interval)}"
    return Lane(row, member, mean.value, mean.interval, mean.verdict, said)
