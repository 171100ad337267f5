"""Figures with and without the repeats of disturbed blocks, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

SHOWN: tuple[FigureName, ...] = ("cpu", "wall", "p50", "p99")
TITLE = "with and without repeated blocks"
NOTE = (
    "the tables show figures with repeats: of a block that others disturbed the first attempt that "
    "they did not; chosen by the kernel's accounts, never by the figure"
)


def repeat_tables(result: RunResult) -> Iterator[Table]:
    """One table of the cells that had a block repeated; none where no repeat counts."""
    rows = [
        Row((plain(cell.id), name_of(name), quantity.shown(figure), _without(figure)), None)
        for cell in result.cells
        for name, figure in _repeated(cell)
    ]
    if rows:
        columns = ("cell", "figure", "with repeats", "without")
        yield Table(TITLE, columns, tuple(rows), (NOTE,))


def _repeated(cell: CellResult) -> list[tuple[FigureName, Figure]]:
    found = [(name, cell.figures[name]) for name in SHOWN if name in cell.figures]
    return [(name, figure) for name, figure in found if figure.without_repeats is not None]


def _without(figure: Figure) -> str:
    planned = figure.without_repeats
    return "" if planned is None else quantity.in_unit(planned.value, figure.unit)
