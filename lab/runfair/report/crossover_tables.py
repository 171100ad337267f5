"""Tables of crossovers: the value of a parameter at which two workloads take the same time."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.result import CellResult, Crossover, RunResult
from runfair.report.sweep import common_connections
from runfair.wording import quantity
from runfair.wording.naming import common_surroundings, name_of, program_name
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = ("crossover", "less time below", "less time above", "verdict")
UNKNOWN = "unknown"
NONE = "none"
NOTE = (
    "at the crossover, both workloads take the same time ({}). runfair assumes that each "
    "workload's time changes along a straight line between two neighbouring points of the "
    "sweep. The range of a time is its bounds or its 95% confidence interval. If one workload "
    "takes less time at one point and the other at a later point, the crossover has two limits. "
    "Otherwise, if the ranges of the two times overlap at the last point, the crossover has no "
    "upper limit (≥). If the ranges overlap at the first point, the crossover has no lower limit "
    "(≤). “unknown” means that the ranges overlap at both ends of the sweep. “none” means that the "
    "same workload takes less time at both ends of the sweep"
)


def crossover_tables(result: RunResult) -> list[Table]:
    """A table for each benchmark and condition. Each table has a row for each program."""
    cells = {cell.id: cell for cell in result.cells}
    tables: dict[str, list[Crossover]] = {}
    for one in result.crossovers:
        title = _title([cells[name] for name in one.cells], one.parameter)
        tables.setdefault(title, []).append(one)
    return [
        Table(
            plain(title),
            ("variant", plain(found[0].parameter), *COLUMNS),
            tuple(_row(cells[one.cells[0]], one) for one in found),
            (NOTE.format(plain(name_of(found[0].figure))),),
        )
        for title, found in tables.items()
    ]


def crossover_text(one: Crossover) -> str:
    """The crossover as text, for example `182 to 310`, `≥ 182`, `several: 3.00 to 90.0`, `none`,
    `unknown`."""
    if one.verdict == "void":
        return "void"
    low, high = one.bounds
    if low is None and high is None:
        return UNKNOWN if one.below is None else NONE
    text = quantity.bounded(low or 0, one.bounds, "count")
    return f"{'several: ' if one.several else ''}{text}"


def span(one: Crossover) -> str:
    """The measured values of the parameter as text, for example `1 to 10,000`."""
    return f"{one.places[0]:,.10g} to {one.places[-1]:,.10g}"


def own_rest(cell: CellResult, parameter: str) -> str:
    """The cell's own parameters, without the parameter of the crossover."""
    return " ".join(one for one in cell.own.split(" ") if not one.startswith(f"{parameter}="))


def _title(cells: Sequence[CellResult], parameter: str) -> str:
    first = cells[0]
    workloads = " and ".join(dict.fromkeys(cell.workload for cell in cells))
    parts = [first.benchmark, workloads, first.size, first.mode]
    parts += [own] if (own := own_rest(first, parameter)) else []
    parts += [f"seed {first.seed}"] if first.seed != 1 else []
    parts += [*common_surroundings(cells), *common_connections(cells)]
    return f"{' · '.join(parts)} · crossover by {parameter}"


def _row(cell: CellResult, one: Crossover) -> Row:
    star = "*" if one.verdict == "flagged" else ""
    sides = (one.below or UNKNOWN, one.above or UNKNOWN) if one.verdict != "void" else ("—", "—")
    texts = (program_name(cell), span(one), crossover_text(one) + star, *map(plain, sides))
    return Row((*texts, one.verdict), one.verdict)
