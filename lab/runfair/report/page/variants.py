"""Pictures that compare programs: relative times, peak memory and start-up of each variant in each
workload.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, RunResult
from runfair.report.page.drawing import DURATION_LABEL, SIZE_LABEL
from runfair.report.page.lanes import (
    Axis,
    Lane,
    Shown,
    absolute,
    figure_lane,
    lanes_data,
    lanes_spec,
    mean_lane,
    relative,
)
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Picture, judgement
from runfair.report.page.scaling import in_sweeps
from runfair.wording import quantity
from runfair.wording.naming import condition_text, name_of, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, distinct, short

MOST_ROWS = 24  # rows of one picture; further rows go into the next picture
MOST_PICTURES = 120
FILLED = (
    "A filled mark is a fair value, and a hollow mark is a flagged (doubtful) value. A void (not "
    "valid) value is shown as a word."
)
MEAN = "geometric mean"


@dataclass(frozen=True)
class _Comparison:
    """The pictures of one figure. The function `shown` returns the value, the interval and the text
    to draw."""

    figure: FigureName
    title: str
    caption: str
    axis: Axis
    shown: Shown
    with_means: bool = False


def _comparisons(baseline: str) -> tuple[_Comparison, ...]:
    against = short(baseline)
    times = (
        f"Each mark is a variant's time as a multiple of the time of {against} (the dashed "
        "line), with its 95% confidence interval. The axis is logarithmic, and marks further "
        f"to the left are faster. {FILLED}"
    )
    return (
        _Comparison(
            "cpu",
            "Relative CPU time",
            f"{times} CPU time is the sum over all threads.",
            Axis(f"CPU time, × {against}", reference=1.0),
            relative,
            with_means=True,
        ),
        _Comparison(
            "wall",
            "Relative completion time",
            f"{times} The picture shows wall time, which is the time that a user waits.",
            Axis(f"wall time, × {against}", reference=1.0),
            relative,
            with_means=True,
        ),
        _Comparison(
            "memory",
            "Peak memory",
            "Each mark is the peak resident memory of the process tree, with its 95% "
            "confidence interval. The axis is logarithmic, and marks further to the left mean "
            f"less memory. {FILLED}",
            Axis("peak memory", SIZE_LABEL, of_two=True),
            absolute(quantity.size),
        ),
        _Comparison(
            "work",
            "Relative time of the work",
            f"{times} The picture shows the wall time of the iteration, without the start of the "
            "process.",
            Axis(f"work, × {against}", reference=1.0),
            relative,
            with_means=True,
        ),
        _Comparison(
            "first",
            "Time to first iteration",
            "Each mark is the time from the process's start to the beginning of its first "
            "iteration, with its 95% confidence interval. When its first iteration begins, a "
            "program has already loaded its input. The axis is logarithmic, and marks further "
            f"to the left are sooner. {FILLED}",
            Axis("to first iteration", DURATION_LABEL),
            absolute(quantity.duration),
        ),
        _Comparison(
            "start",
            "Start-up",
            "Each mark is the time from the process's start to the first line that the "
            "program prints, with its 95% confidence interval. The axis is logarithmic, and "
            f"marks further to the left are sooner. {FILLED}",
            Axis("start-up", DURATION_LABEL),
            absolute(quantity.duration),
        ),
    )


@dataclass(frozen=True)
class _Part:
    """The rows that one picture shows. `number` is the place of the picture among the `parts`
    pictures of the same kind."""

    one: _Comparison
    rows: Sequence[tuple[str, list[CellResult]]]
    number: int
    parts: int


def _told(cell: CellResult, name: FigureName) -> bool:
    figure = cell.figures.get(name)
    return figure is not None and (figure.value is not None or figure.verdict == "void")


def variant_pictures(result: RunResult, legend: Legend) -> tuple[list[Picture], int]:
    """The pictures of all programs measured under the same condition, and the number of pictures
    for which the page has no room.

    There is a picture for each figure, or several pictures if there are many workloads. If the page
    is full, the last parts are left out first. If a point of a sweep has a single variant, there is
    nothing to compare; the sweep's pictures show it.
    """
    swept = in_sweeps(result)
    alike: dict[object, list[CellResult]] = {}
    for cell in result.cells:
        if cell.is_program:
            key = (cell.mode, cell.size, cell.threads, cell.factors)
            alike.setdefault(key, []).append(cell)
    parts = [
        part
        for cells in alike.values()
        if len(legend.among(cells)) > 1 or not all(cell.id in swept for cell in cells)
        for one in _comparisons(result.baseline)
        if any(_told(cell, one.figure) for cell in cells)
        for part in _parts(one, cells)
    ]
    first = sorted(range(len(parts)), key=lambda place: parts[place].number)[:MOST_PICTURES]
    pictures = [_picture(parts[place], result, legend) for place in sorted(first)]
    return pictures, len(parts) - len(pictures)


def _parts(one: _Comparison, cells: Sequence[CellResult]) -> Iterator[_Part]:
    rows: dict[object, list[CellResult]] = {}
    for cell in cells:
        key = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.drive)
        rows.setdefault(key, []).append(cell)
    names = distinct(workload(members[0]) for members in rows.values())
    named = list(zip(names, rows.values(), strict=True))
    starts = range(0, len(named), MOST_ROWS)
    for number, start in enumerate(starts):
        yield _Part(one, named[start : start + MOST_ROWS], number, len(starts))


def _picture(part: _Part, result: RunResult, legend: Legend) -> Picture:
    one = part.one
    members = [cell for _, row in part.rows for cell in row]
    lanes = [
        figure_lane(name, legend.series(cell), cell, one.figure, one.shown)
        for name, row in part.rows
        for cell in row
    ]
    # The means cover the rows of all parts. They stand in the first part, which is never left out.
    if one.with_means and part.number == 0:
        lanes += _means(one, members, result, legend)
    more = "" if part.parts == 1 else f" ({part.number + 1} of {part.parts})"
    title = f"{one.title} · {condition_text(members[0])}{more}"
    return Picture(
        name=anchor(title),
        title=title,
        caption=one.caption,
        spec=lanes_spec(lanes, legend.among(members), one.axis),
        data=lanes_data(lanes),
        table=_table(title, one, lanes),
        judgement=judgement(members, (one.figure,)),
    )


def _means(
    one: _Comparison, cells: Sequence[CellResult], result: RunResult, legend: Legend
) -> Iterator[Lane]:
    first = cells[0]
    for mean in result.geometric_means:
        same = (mean.mode, mean.size, mean.threads, mean.factors, mean.figure)
        if same != (first.mode, first.size, first.threads, first.factors, one.figure):
            continue
        wanted = (mean.variant, mean.tier, mean.driven)
        cell = next((each for each in cells if _who(each) == wanted), None)
        if cell is not None:
            row = f"{MEAN} of {mean.workloads}" + (" servers" if mean.driven else "")
            yield mean_lane(row, legend.series(cell), mean)


def _who(cell: CellResult) -> tuple[str, str, bool]:
    return (cell.variant, cell.tier, cell.drive is not None)


def _table(title: str, one: _Comparison, lanes: Sequence[Lane]) -> Table:
    rows = tuple(
        Row((lane.row, lane.series.name, lane.said, lane.verdict or ""), lane.verdict)
        for lane in lanes
    )
    return Table(title, ("workload", "variant", name_of(one.figure), "verdict"), rows)
