"""Sweeps: what changes along one axis (connections, threads, heap), a table a figure.

The values are those of the tables of each point, whose notes say what is to be said of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.report import quantity
from runfair.report.grid import Row, Table
from runfair.report.notes import NAMES
from runfair.report.plain_text import plain
from runfair.report.verdict_words import worst

FIGURES: tuple[FigureName, ...] = ("wall", "cpu", "memory")
# Two points are compared by their own tables.
FEWEST_POINTS = 3


@dataclass(frozen=True)
class Axis:
    """`of` gives a cell's place on the axis, None where it is left to the runtime, and the cell's
    surroundings without it."""

    name: str
    of: Callable[[CellResult], int | None]
    others: Callable[[CellResult], tuple[object, ...]]
    text: Callable[[int], str]


def sweep_tables(result: RunResult) -> list[Table]:
    """One for each figure of each sweep: a row a point, a column a program."""
    programs = [cell for cell in result.cells if cell.service is None]
    made = []
    for axis in AXES:
        sweeps: dict[tuple[object, ...], list[CellResult]] = {}
        for cell in programs:
            same = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size, cell.mode)
            sweeps.setdefault((*same, *axis.others(cell)), []).append(cell)
        for cells in sweeps.values():
            if len({axis.of(cell) for cell in cells}) >= FEWEST_POINTS:
                made += [_table(axis, cells, figure) for figure in FIGURES]
    return made


def _table(axis: Axis, cells: Sequence[CellResult], figure: FigureName) -> Table:
    names = list(dict.fromkeys(_name(cell) for cell in cells))
    points = sorted({axis.of(cell) for cell in cells}, key=lambda one: (one is None, one or 0))
    by_place = {(axis.of(cell), _name(cell)): cell for cell in cells}
    rows = []
    for point in points:
        here = [by_place.get((point, name)) for name in names]
        figures = [one.figures.get(figure) if one is not None else None for one in here]
        shown = [one for one in figures if one is not None]
        state = worst([one.verdict for one in shown]) if shown else None
        label = "the runtime's own" if point is None else axis.text(point)
        rows.append(Row((label, *(_text(one, figure) for one in figures), state or ""), state))
    first = cells[0]
    parts = [first.benchmark, first.workload, first.size, first.mode]
    title = f"{' · '.join(parts)} · {NAMES[figure]} by {axis.name}"
    return Table(plain(title), (axis.name, *names, "verdict"), tuple(rows))


def _name(cell: CellResult) -> str:
    return plain(cell.variant if cell.tier == "standard" else f"{cell.variant} ({cell.tier})")


def _text(figure: Figure | None, name: FigureName) -> str:
    if figure is None:
        return "—"
    if figure.verdict == "void":
        return "void"
    if figure.value is None:
        return "—"
    text = quantity.size(figure.value) if name == "memory" else quantity.duration(figure.value)
    return text + ("*" if figure.verdict == "flagged" else "")


def _connections(cell: CellResult) -> int | None:
    return cell.drive.connections if cell.drive is not None else None


def _tied_processors(cell: CellResult) -> int | None:
    """Processors that follow the threads are no surroundings of their own."""
    return None if cell.factors.processors == cell.threads else cell.factors.processors


AXES = (
    Axis(
        "connections",
        _connections,
        lambda cell: (cell.threads, cell.factors),
        str,
    ),
    Axis(
        "threads",
        lambda cell: cell.threads,
        lambda cell: (
            _tied_processors(cell),
            cell.factors.model_copy(update={"processors": 1}),
            _connections(cell),
        ),
        str,
    ),
    Axis(
        "heap",
        lambda cell: cell.factors.heap_bytes,
        lambda cell: (
            cell.threads,
            cell.factors.model_copy(update={"heap_bytes": None}),
            _connections(cell),
        ),
        quantity.size,
    ),
)
