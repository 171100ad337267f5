"""Tables of figures by version of a runtime, with the versions at which they changed."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.finding import FigureName, worst
from runfair.formats.result import CellResult, RunResult
from runfair.result.versions import Point, VersionedCell, points, version_series
from runfair.wording import quantity
from runfair.wording.naming import name_of, surroundings
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

NOTE = (
    '"change" is the value divided by the value of the previous version. A change is shown only if '
    "the 95% intervals of the two versions do not overlap and the values differ by at least 5%"
)


def version_tables(result: RunResult) -> list[Table]:
    """A table for each program that was measured on several versions of a runtime. Each table has a
    row for each version."""
    return [_table(series) for series in version_series(result.cells)]


def _table(series: Sequence[VersionedCell]) -> Table:
    figures = _figures([one.cell for one in series])
    parts = [_part(series, (figure,)) for figure in figures]
    return parts[0] if len(parts) == 1 else _wide(series, figures, parts)


def _wide(
    series: Sequence[VersionedCell], figures: Sequence[FigureName], parts: Sequence[Table]
) -> Table:
    whole = _part(series, figures)
    return Table(whole.title, whole.columns, whole.rows, whole.notes, narrow=tuple(parts))


def _figures(cells: Sequence[CellResult]) -> list[FigureName]:
    """The figures of these tables: CPU time, and the first declared figure of each distribution."""
    names = dict.fromkeys(name for cell in cells for name in cell.figures)
    firsts: dict[str, FigureName] = {}
    for name in names:
        if "." in name:
            firsts.setdefault(name.partition(".")[0], name)
    return [*(name for name in names if name == "cpu"), *firsts.values()]


def _part(series: Sequence[VersionedCell], figures: Sequence[FigureName]) -> Table:
    columns = [points(series, figure) for figure in figures]
    known = {one.source: one for column in columns for point in column for one in point.known}
    return Table(
        title=plain(_title(series[0])),
        columns=(
            "version",
            *(head for figure in figures for head in (name_of(figure), "change")),
            "explained by",
            "verdict",
        ),
        rows=tuple(_row(across) for across in zip(*columns, strict=True)),
        notes=(
            NOTE,
            *(f"{one.source}: {one.about} (from {one.first} on)" for one in known.values()),
        ),
    )


def _title(one: VersionedCell) -> str:
    cell = one.cell
    parts = [cell.benchmark, cell.workload, cell.size, cell.mode]
    parts += [cell.own] if cell.own else []
    parts += [f"seed {cell.seed}"] if cell.seed != 1 else []
    parts += surroundings(cell.threads, cell.factors)
    tier = "" if cell.tier == "standard" else f" ({cell.tier})"
    return f"{' · '.join(parts)} · versions of {one.line}{one.suffix}{tier}"


def _row(across: Sequence[Point]) -> Row:
    """The row of a version, with the point of each figure at this version."""
    figures = [point.figure for point in across if point.figure is not None]
    state = worst([figure.verdict for figure in figures]) if figures else None
    sources = dict.fromkeys(one.source for point in across for one in point.known)
    texts = [text for point in across for text in _texts(point)]
    return Row((plain(across[0].cell.variant), *texts, ", ".join(sources), state or ""), state)


def _texts(point: Point) -> tuple[str, str]:
    figure = point.figure
    if figure is None or figure.value is None:
        return ("void" if figure is not None and figure.verdict == "void" else "—"), ""
    text = quantity.bounded(figure.value, figure.bounds, figure.unit)
    if figure.interval is not None and figure.bounds is None:
        text += f" [{', '.join(quantity.in_unit(end, figure.unit) for end in figure.interval)}]"
    star = "*" if figure.verdict == "flagged" else ""
    change = f"×{quantity.three_digits(point.change)}" if point.change is not None else ""
    return f"{text}{star}", change
