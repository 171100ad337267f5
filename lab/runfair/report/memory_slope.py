"""Tables of the memory per task: the slope of memory over the number of tasks.

The model is: total memory = a fixed part of the runtime + slope * tasks. The model is fitted by
least squares over the cells of a program that differ only in the parameter `tasks`. The figure
`bytes` of a cell is the total divided by the tasks. Source:
benchmarks/concurrency/memory-per-task/contract.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import linear_regression

from runfair.formats.finding import FigureName, worst
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

FIGURE: FigureName = "bytes.max"
PARAMETER = "tasks"
# Two points always lie on a line, so they cannot show whether memory grows linearly.
FEWEST_COUNTS = 3
COLUMNS = ("variant", "tasks", "bytes a task", "apart from tasks", "verdict")


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
    return [Table(plain(title), COLUMNS, tuple(found)) for title, found in rows.items()]


def _program(cell: CellResult) -> tuple[object, ...]:
    """The key of a program. The key is equal for cells that differ only in the number of tasks."""
    return (*_work(cell), cell.seed, cell.variant, cell.tier, cell.factors)


def _work(cell: CellResult) -> tuple[str, ...]:
    threads = f"{cell.threads} threads" if cell.threads > 1 else "1 thread"
    return (cell.benchmark, cell.workload, cell.mode, threads)


def _title(cell: CellResult) -> str:
    seed = [f"seed {cell.seed}"] if cell.seed != 1 else []
    return f"{' · '.join([*_work(cell), *seed])} · memory per task"


def _row(cells: Sequence[CellResult]) -> Row:
    figures = [cell.figures[FIGURE] for cell in cells]
    tasks = [float(cell.parameters[PARAMETER]) for cell in cells]
    state = worst([figure.verdict for figure in figures])
    name = cells[0].variant
    name = name if cells[0].tier == "standard" else f"{name} ({cells[0].tier})"
    span = f"{quantity.counted(min(tasks))} to {quantity.counted(max(tasks))}"
    return Row((plain(name), span, *_fitted(tasks, figures), state), state)


def _fitted(tasks: Sequence[float], figures: Sequence[Figure]) -> tuple[str, str]:
    """The slope and the fixed part, as text."""
    values = [figure.value for figure in figures if figure.value is not None]
    if len(values) < len(figures):
        return "void", "void"
    totals = [value * count for value, count in zip(values, tasks, strict=True)]
    line = linear_regression(tasks, totals)
    star = "*" if any(figure.verdict == "flagged" for figure in figures) else ""
    rest = quantity.size(max(line.intercept, 0.0))
    return f"{quantity.size(line.slope)}{star}", f"{rest}{star}"
