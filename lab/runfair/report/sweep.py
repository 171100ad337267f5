"""Tables of sweeps: how each figure changes along an axis (connections, threads, heap, a
parameter), and the memory per task, which is the slope of memory over the number of tasks.

The values also appear in the tables of each point. The notes of these tables explain them.

The model of the memory per task is: total memory = a fixed part of the runtime + slope * tasks. The
model is fitted by least squares over the cells of a program that differ only in the parameter
`tasks`. Slope and fixed part have ranges, from the bounds or the intervals of the cells. The figure
`bytes` of a cell is the total divided by the tasks. Source:
benchmarks/concurrency/memory-per-task/contract.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter

from runfair.formats.finding import FigureName, worst
from runfair.formats.record import Scalar
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.statistics.line import Line, line
from runfair.wording import quantity
from runfair.wording.naming import (
    common_surroundings,
    connections_text,
    name_of,
    program_name,
)
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

FIGURES: tuple[FigureName, ...] = ("wall", "cpu", "memory")
# A sweep needs more than two points. Two points are compared in their own tables.
FEWEST_POINTS = 3


@dataclass(frozen=True)
class Axis:
    """An axis of sweeps. The function `of` returns a cell's place on the axis, or None if the
    runtime itself chooses the value. `others` returns the conditions other than the axis, for each
    series of which the cell is a point. `own` returns the user's own parameters that the points of
    a series have in common."""

    name: str
    of: Callable[[CellResult], float | None]
    others: Callable[[CellResult], list[tuple[object, ...]]]
    text: Callable[[float], str]
    own: Callable[[CellResult], str] = lambda cell: cell.own


def sweep_tables(result: RunResult) -> list[Table]:
    """A table for each figure of each sweep. Each table has a row for each point and a column for
    each program."""
    return [
        _table(axis, cells, figure) for axis, cells in sweeps(result) for figure in figures(cells)
    ]


def figures(cells: Sequence[CellResult]) -> list[FigureName]:
    """The figures that a sweep of these cells shows."""
    sampled = dict.fromkeys(name for cell in cells for name in cell.figures if "." in name)
    return [*FIGURES, *sampled]


def sweeps(result: RunResult) -> Iterator[tuple[Axis, list[CellResult]]]:
    """The series of a run with enough points, each with its axis."""
    programs = [cell for cell in result.cells if cell.is_program]
    for axis in (*AXES, *_parameter_axes(programs)):
        series: dict[tuple[object, ...], list[CellResult]] = {}
        for cell in programs:
            same = (cell.benchmark, cell.workload, axis.own(cell), cell.seed, cell.size, cell.mode)
            for others in axis.others(cell):
                series.setdefault((*same, *others), []).append(cell)
        for cells in series.values():
            if len({axis.of(cell) for cell in cells}) >= FEWEST_POINTS:
                yield axis, cells


def _table(axis: Axis, cells: Sequence[CellResult], figure: FigureName) -> Table:
    """The table with all programs side by side, and narrower parts of it for terminals without
    enough room."""
    return _beside(list(dict.fromkeys(program_name(cell) for cell in cells)), axis, cells, figure)


def _beside(
    names: Sequence[str], axis: Axis, cells: Sequence[CellResult], figure: FigureName
) -> Table:
    mine = {axis.of(cell) for cell in cells if program_name(cell) in names}
    points = sorted(mine, key=lambda one: (one is None, one or 0))
    by_place = {(axis.of(cell), program_name(cell)): cell for cell in cells}
    rows = []
    for point in points:
        here = [by_place.get((point, name)) for name in names]
        figures = [one.figures.get(figure) if one is not None else None for one in here]
        shown = [one for one in figures if one is not None]
        state = worst([one.verdict for one in shown]) if shown else None
        label = "the runtime's own" if point is None else axis.text(point)
        rows.append(Row((label, *(_text(one) for one in figures), state or ""), state))
    first = cells[0]
    parts = [first.benchmark, first.workload, first.size, first.mode]
    parts += [axis.own(first)] if axis.own(first) else []
    parts += [f"seed {first.seed}"] if first.seed != 1 else []
    parts += [*common_surroundings(cells), *common_connections(cells)]
    title = f"{' · '.join(parts)} · {name_of(figure)} by {axis.name}"
    middle = (len(names) + 1) // 2
    halves = (names[:middle], names[middle:]) if len(names) > 1 else ()
    return Table(
        plain(title),
        (axis.name, *names, "verdict"),
        tuple(rows),
        narrow=tuple(_beside(half, axis, cells, figure) for half in halves),
    )


def _text(figure: Figure | None) -> str:
    if figure is None:
        return "—"
    if figure.verdict == "void":
        return "void"
    if figure.value is None:
        return "—"
    text = quantity.bounded(figure.value, figure.bounds, figure.unit)
    return text + ("*" if figure.verdict == "flagged" else "")


def _parameter_axes(cells: Sequence[CellResult]) -> list[Axis]:
    """An axis for each parameter that an experiment sets to several numbers. All numbers must be
    positive, because the axes of sweeps are logarithmic."""
    found: dict[str, set[Scalar]] = {}
    for cell in cells:
        for name, value in cell.parameters.items():
            found.setdefault(name, set()).add(value)
    return [
        _parameter_axis(name)
        for name, values in found.items()
        if len(values) >= FEWEST_POINTS
        and all(not isinstance(value, (bool, str)) and value > 0 for value in values)
    ]


def _parameter_axis(name: str) -> Axis:
    def of(cell: CellResult) -> float | None:
        value = cell.parameters.get(name)
        return None if isinstance(value, (bool, str)) else value

    def own(cell: CellResult) -> str:
        """The cell's own parameters, without the parameter of the axis."""
        said = f"{name}={cell.parameters.get(name)}"
        return " ".join(part for part in cell.own.split(" ") if part != said)

    def others(cell: CellResult) -> list[tuple[object, ...]]:
        rest = tuple(sorted((k, str(v)) for k, v in cell.parameters.items() if k != name))
        return [(rest, cell.threads, cell.factors, _connections(cell))]

    return Axis(plain(name), of, others, lambda place: f"{place:,.10g}", own)


def _connections(cell: CellResult) -> int | None:
    return cell.drive.connections if cell.drive is not None else None


def common_connections(cells: Sequence[CellResult]) -> list[str]:
    """The number of connections that all cells have in common, as text."""
    (count, *others) = {_connections(cell) for cell in cells}
    return [] if count is None or others else [connections_text(count, pipeline=1)]


def _beside_threads(cell: CellResult) -> list[tuple[object, ...]]:
    """The conditions of a cell other than its threads. In a series, the number of processors is
    constant or equal to the number of threads."""
    rest = (cell.factors.model_copy(update={"processors": 1}), _connections(cell))
    following = cell.factors.processors == cell.threads
    return [(cell.factors.processors, *rest), *([("following", *rest)] if following else [])]


def _whole(place: float) -> str:
    return f"{place:.0f}"


AXES = (
    Axis("connections", _connections, lambda cell: [(cell.threads, cell.factors)], _whole),
    Axis("threads", lambda cell: cell.threads, _beside_threads, _whole),
    Axis(
        "processors",
        lambda cell: cell.factors.processors,
        lambda cell: [
            (
                cell.threads,
                cell.factors.model_copy(update={"processors": 1}),
                _connections(cell),
            )
        ],
        _whole,
    ),
    Axis(
        "heap",
        lambda cell: cell.factors.heap_bytes,
        lambda cell: [
            (
                cell.threads,
                cell.factors.model_copy(update={"heap_bytes": None}),
                _connections(cell),
            )
        ],
        quantity.size,
    ),
)


FIGURE: FigureName = "bytes.max"
PARAMETER = "tasks"
# Two points always lie on a line, so they cannot show whether memory grows linearly.
FEWEST_COUNTS = 3
CURVED = "not a line"
CURVED_NOTE = (
    "“not a line” means that the memory does not grow by the same amount with each further "
    "task. “bytes per task” is then a range: from the smallest to the largest growth per task "
    "between two neighbouring numbers of tasks"
)
COLUMNS = ("variant", "tasks", "bytes per task", "apart from tasks", "verdict")


def memory_slope_tables(result: RunResult) -> list[Table]:
    """A table for each workload that was measured with several numbers of tasks. Each table has a
    row for each program."""
    programs: dict[tuple[object, ...], list[CellResult]] = {}
    for cell in result.cells:
        if FIGURE in cell.figures and PARAMETER in cell.parameters:
            programs.setdefault(_program(cell), []).append(cell)
    rows: dict[str, list[Row]] = {}
    for cells in programs.values():
        counts = {cell.parameters[PARAMETER]: cell for cell in cells}
        if len(counts) >= FEWEST_COUNTS:
            rows.setdefault(_title(cells[0]), []).append(_row(list(counts.values())))
    return [
        Table(plain(title), COLUMNS, tuple(found), (CURVED_NOTE,) if _has_curved(found) else ())
        for title, found in rows.items()
    ]


def _has_curved(rows: Sequence[Row]) -> bool:
    return any(CURVED in row.cells[-1] for row in rows)


def _program(cell: CellResult) -> tuple[object, ...]:
    """The key of a program. The key is equal for cells that differ only in the number of tasks."""
    return (*_work(cell), cell.seed, cell.variant, cell.tier, cell.factors, _connections(cell))


def _work(cell: CellResult) -> tuple[str, ...]:
    threads = f"{cell.threads} threads" if cell.threads > 1 else "1 thread"
    return (cell.benchmark, cell.workload, cell.mode, threads)


def _title(cell: CellResult) -> str:
    seed = [f"seed {cell.seed}"] if cell.seed != 1 else []
    return f"{' · '.join([*_work(cell), *seed, *common_connections([cell])])} · memory per task"


def _row(cells: Sequence[CellResult]) -> Row:
    points = sorted(
        ((float(cell.parameters[PARAMETER]), cell.figures[FIGURE]) for cell in cells),
        key=itemgetter(0),
    )
    tasks, figures = [count for count, _ in points], [figure for _, figure in points]
    state = worst([figure.verdict for figure in figures])
    span = f"{quantity.counted(tasks[0])} to {quantity.counted(tasks[-1])}"
    fitted = _line(tasks, figures)
    if fitted is None:
        return Row((program_name(cells[0]), span, "void", "void", state), state)
    if not fitted.straight:
        steps = f"{_range(fitted.steps)}*"
        return Row((program_name(cells[0]), span, steps, "—", f"flagged: {CURVED}"), "flagged")
    star = "*" if state == "flagged" else ""
    texts = (_range(fitted.slope) + star, _range(fitted.intercept) + star)
    return Row((program_name(cells[0]), span, *texts, state), state)


def _line(tasks: Sequence[float], figures: Sequence[Figure]) -> Line | None:
    """The line of total memory over tasks; None if a figure has no value. The range of a point is
    its figure's bounds or, if it has none, its interval. An open bound is 0 or infinity."""
    values = [figure.value for figure in figures if figure.value is not None]
    if len(values) < len(figures):
        return None
    totals = [value * count for value, count in zip(values, tasks, strict=True)]
    ranges = []
    for figure, count, value in zip(figures, tasks, values, strict=True):
        low, high = figure.bounds or figure.interval or (value, value)
        ranges.append(((low or 0.0) * count, inf if high is None else high * count))
    return line(tasks, totals, ranges)


def _range(limits: tuple[float, float]) -> str:
    """A range of numbers of bytes as text. Memory is not negative."""
    if limits[1] == inf:
        return f"≥ {quantity.size(limits[0])}" if limits[0] >= 1 else quantity.NOT_BOUNDED
    low, high = (round(max(0.0, one)) for one in limits)
    if high == 0:
        return "about 0"
    if low == 0:
        return f"≤ {quantity.size(high)}"
    least, most = quantity.size(low), quantity.size(high)
    return least if least == most else quantity.bounded(low, (low, high), "bytes")
