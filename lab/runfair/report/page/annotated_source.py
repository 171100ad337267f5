"""A listing of a source file with figures beside its lines. A reader sees at once which lines are
hot.

A listing has a column for each variant that has figures for the same text. If a file is long, only
the regions around annotated lines are open, and the others are folded. A folded region can be
opened from the keyboard. A file that is too long for the page is not shown; its text is in the
run's folder.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import CellResult, LineFigure, LineSeries
from runfair.formats.source_lines import lines_of
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Explanation, Judgement
from runfair.wording import quantity
from runfair.wording.naming import condition_text, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import UNSAFE, anchor, brief, short

TAB = 4
LONGEST = 400  # characters of a line; a longer line is data rather than code
CONTEXT = 3  # lines shown before and after a line that has a figure
LEAST_FOLDED = 4  # a fold of fewer lines would take as much room as it saves
MOST_COLUMNS = 4
MOST_LISTINGS = 24
MOST_ANNOTATED = 1_000  # lines of a listing: the hottest are annotated
MOST_UNFOLDED = 3_000  # lines of a file that is shown whole
HOT_SHARE = 0.5  # of the hottest line's figure; a line with at least this share is marked as hot
HOTTEST_NAMED = 5
WIDTHS = 100  # steps of a bar's width, each with a CSS class


@dataclass(frozen=True)
class Mark:
    """A figure beside a line. `width` is the width of the figure's bar, in hundredths of the bar of
    the column's hottest line.
    """

    text: str
    width: int
    hot: bool


@dataclass(frozen=True)
class Line:
    """A line of source. `marks` has an entry for each column: None if the line has no
    figure there.
    """

    number: int
    text: str
    marks: tuple[Mark | None, ...]


@dataclass(frozen=True)
class Region:
    """Adjacent lines of a file. A `folded` region can be opened by the reader. Of an `absent`
    region only the number of lines is shown. The names of the columns stand above the first region
    that is neither folded nor absent.
    """

    first: int
    last: int
    lines: tuple[Line, ...]
    folded: bool
    headed: bool

    @property
    def absent(self) -> bool:
        return not self.lines

    @property
    def title(self) -> str:
        if self.first == self.last:
            return f"line {self.first}"
        return f"lines {self.first} to {self.last} ({self.last - self.first + 1})"


@dataclass(frozen=True)
class Hot:
    """One of the hottest lines, for the list above the listing."""

    number: int
    text: str


@dataclass(frozen=True)
class AnnotatedSource:
    """One listing. `columns` has the names of its variants; the name of a void variant is followed
    by `void`."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    hottest: tuple[Hot, ...]
    regions: tuple[Region, ...]
    table: Table
    judgement: Judgement


@dataclass(frozen=True)
class _Column:
    """The figures of one variant for a file."""

    cell: CellResult
    who: str
    series: LineSeries

    @property
    def total(self) -> float:
        return sum(abs(one.value) for one in self.series.lines.values())

    @property
    def greatest(self) -> float:
        return max((abs(one.value) for one in self.series.lines.values()), default=0.0)


def annotated_sources(
    page_input: PageInput, legend: Legend
) -> tuple[list[AnnotatedSource], list[str]]:
    """The listings, and notes on the listings that are missing."""
    texts = _texts(page_input)
    listings: list[AnnotatedSource] = []
    left_out = 0
    for columns in _together(page_input, legend):
        if len(listings) == MOST_LISTINGS:
            left_out += 1
        elif (text := texts.get(columns[0].series.source_sha256)) is not None:
            listings.append(_listing(text, columns))
    notes = [
        f"{workload(cell)}: {legend.series(cell).name} reported no values for its source "
        f"lines ({brief(cell.lines_untold)})"
        for cell in page_input.result.cells
        if cell.lines_untold
    ]
    if left_out:
        notes.append(
            f"The page shows {MOST_LISTINGS} source listings and leaves out {left_out} more. "
            "To get the values of all lines, use ./runfair export --table lines."
        )
    return listings, notes


def _texts(page_input: PageInput) -> dict[str, str]:
    return {
        lines.text_sha256: lines.text
        for cell in page_input.evidence.cells
        for told in cell.reported_lines
        for lines in told.lines
    }


def _together(page_input: PageInput, legend: Legend) -> Iterator[list[_Column]]:
    """The columns that form one listing: they have the same figure, for the same text and the same
    work."""
    groups = {one.cell.id: one.cell.group for one in page_input.evidence.cells}
    found: dict[tuple[object, ...], list[_Column]] = {}
    for cell in page_input.result.cells:
        for one in cell.lines:
            key = (groups.get(cell.id), one.path, one.source_sha256, one.name, one.unit)
            found.setdefault(key, []).append(_Column(cell, legend.series(cell).name, one))
    for columns in found.values():
        for start in range(0, len(columns), MOST_COLUMNS):
            yield columns[start : start + MOST_COLUMNS]


def _listing(text: str, columns: Sequence[_Column]) -> AnnotatedSource:
    cell, series = columns[0].cell, columns[0].series
    lines = lines_of(text)
    unit = "" if series.unit in ("", "ns", "bytes") else f" ({brief(series.unit, 20)})"
    title = f"{short(series.path)} · {short(series.name)}{unit} · {workload(cell)}"
    title += f" · {condition_text(cell)}"
    ranked = _ranked(columns)
    return AnnotatedSource(
        name=anchor("source", title, columns[0].who),
        title=title,
        caption=_caption(columns, len(ranked)),
        columns=tuple(
            one.who if one.series.verdict != "void" else f"{one.who}: void" for one in columns
        ),
        hottest=tuple(
            Hot(number, f"line {number}: {_said(columns, number)}")
            for number in ranked[:HOTTEST_NAMED]
        ),
        regions=tuple(
            regions(
                lines,
                set(ranked[:MOST_ANNOTATED]),
                lambda number: tuple(_mark(one, number) for one in columns),
                len(columns),
            )
        ),
        table=_table(title, lines, columns, ranked),
        judgement=_judgement(columns),
    )


def _caption(columns: Sequence[_Column], annotated: int) -> str:
    untimed = (
        " runfair counted how often each line was executed. It counted in separate executions, "
        "which are not timed."
    )
    several = (
        " The brackets after a mean contain the smallest and the largest value of the executions."
    )
    more = (
        f" {annotated:,} lines have a measured value, and only the {MOST_ANNOTATED:,} hottest of "
        "them are marked."
        if annotated > MOST_ANNOTATED
        else ""
    )
    return (
        "The length of a bar is the line's value as a share of the largest value in its "
        "column. The mark ▶ stands at lines with at least half of the largest value in their "
        f"column.{more}"
        + (several if any(one.series.executions > 1 for one in columns) else "")
        + (untimed if columns[0].series.name == "executions" else "")
    )


def _ranked(columns: Sequence[_Column]) -> list[int]:
    """The lines that have a figure, the hottest first. The lines are ordered by their largest share
    in any column.
    """
    hottest: dict[int, float] = {}
    for column in columns:
        for number, one in column.series.lines.items():
            share = abs(one.value) / (column.greatest or 1.0)
            hottest[number] = max(hottest.get(number, 0.0), share)
    return sorted(hottest, key=lambda number: (-hottest[number], number))


def regions(
    lines: Sequence[str],
    annotated: set[int],
    marks: Callable[[int], tuple[Mark | None, ...]],
    columns: int,
) -> Iterator[Region]:
    """The regions of the whole file, in order. `marks` has, for each annotated line, the mark of
    each column.
    """
    shown = {
        number
        for one in annotated
        for number in range(max(1, one - CONTEXT), min(len(lines), one + CONTEXT) + 1)
    }
    first, headed = 1, False
    while first <= len(lines):
        folded = first not in shown
        last = first
        while last < len(lines) and ((last + 1) not in shown) == folded:
            last += 1
        if folded and last - first + 1 < LEAST_FOLDED:
            folded = False
        absent = folded and len(lines) > MOST_UNFOLDED
        yield Region(
            first,
            last,
            ()
            if absent
            else tuple(
                Line(
                    number,
                    visible(lines[number - 1]),
                    marks(number) if number in annotated else (None,) * columns,
                )
                for number in range(first, last + 1)
            ),
            folded=folded,
            headed=not folded and not headed,
        )
        headed = headed or not folded
        first = last + 1


def _mark(column: _Column, number: int) -> Mark | None:
    figure = column.series.lines.get(number)
    if figure is None:
        return None
    share = abs(figure.value) / column.greatest if column.greatest else 0.0
    width = max(1, round(WIDTHS * share)) if share else 0
    return Mark(_text(figure, column.series.unit), width, share >= HOT_SHARE)


def _text(figure: LineFigure, unit: str) -> str:
    said = _value(figure.value, unit)
    if figure.least == figure.greatest:
        return said
    return f"{said} [{_value(figure.least, unit)}, {_value(figure.greatest, unit)}]"


def _value(value: float, unit: str) -> str:
    """A count with all digits, because readers compare it with other counters."""
    if unit == "ns" and value >= 0:
        return quantity.duration(value)
    if unit == "bytes" and value >= 0:
        return quantity.size(value)
    if value == int(value) and abs(value) < 2**53:
        return f"{int(value):,}"
    return quantity.three_digits(value)


def _said(columns: Sequence[_Column], number: int) -> str:
    """The texts of the columns, or a single text if all are equal."""
    told = {one.who: _share(one, number) for one in columns if number in one.series.lines}
    if len(set(told.values())) == 1:
        return next(iter(told.values()))
    return ", ".join(f"{who} {text}" for who, text in told.items())


def _share(column: _Column, number: int) -> str:
    """The figure of a line, and its share of the file's total."""
    figure = column.series.lines[number]
    text = _text(figure, column.series.unit)
    if not column.total:
        return text
    return f"{text} ({quantity.percent(abs(figure.value) / column.total)})"


def _table(
    title: str, lines: Sequence[str], columns: Sequence[_Column], ranked: Sequence[int]
) -> Table:
    """A table of the annotated lines, the hottest first. Other lines of the file are left out."""
    rows = []
    for number in ranked[:MOST_ANNOTATED]:
        texts = [_share(one, number) if number in one.series.lines else "" for one in columns]
        rows.append(Row((str(number), *texts, brief(visible(lines[number - 1]), 100)), None))
    headings = [one.who if one.series.verdict != "void" else f"{one.who}: void" for one in columns]
    return Table(title, ("line", *headings, "source"), tuple(rows))


def _judgement(columns: Sequence[_Column]) -> Judgement:
    states: list[VerdictState] = [one.series.verdict for one in columns]
    void = tuple(
        f"{one.who}: {brief(one.series.reason)}" for one in columns if one.series.verdict == "void"
    )
    # A void series has no lines; it counts as one missing number.
    counts: dict[VerdictState, int] = {"fair": 0, "flagged": 0, "void": 0}
    for one in columns:
        counts[one.series.verdict] += len(one.series.lines) or 1
    explanations = (
        Explanation(
            severity="fault",
            check="lines",
            figures="lines of source",
            found=void,
            matters=(
                "The values of these lines are not shown, because they come from an execution "
                "that did not do the same work as the timed executions."
            ),
            advice="run the program by hand with ./runfair exec and the option --lines",
        ),
    )
    return Judgement(worst(states), counts, explanations if void else ())


def visible(line: str) -> str:
    """A line of source in which tabs are replaced by spaces, and each control or format character
    by its code point. A bidirectional override, for example, reorders the text for a reader but not
    for a compiler.
    """
    cut = line[:LONGEST]
    shown = "".join(_shown(character) for character in cut.expandtabs(TAB))
    return shown if len(line) <= LONGEST else f"{shown}… ({len(line):,} characters)"


def _shown(character: str) -> str:
    if unicodedata.category(character) in UNSAFE:
        return f"⟦U+{ord(character):04X}⟧"
    return character
