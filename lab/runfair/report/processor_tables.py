"""Tables of processor use: parallel efficiency, and cycles of whole processes.

Parallel efficiency is the share of the time of P processors that was used for the work of one
processor. Two ratios explain the remaining share.

For a program's cells on one processor and on P processors, each with as many threads as processors:

    parallel efficiency = T1 / (P * TP) = utilisation / work inflation
    work inflation      = CP / C1                        CPU time that the work needs, P to one
    utilisation         = CP * T1 / (C1 * P * TP)        share of P processors that was in use

T is wall time, C is CPU time. T1 / C1 is 1 if the single processor is always in use. Source:
benchmarks/concurrency/parallel-efficiency/contract.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import Bounds, CellResult, Figure, RunResult
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = ("variant", "processors", "efficiency", "work inflation", "utilisation", "verdict")


def efficiency_tables(result: RunResult) -> list[Table]:
    """A table for each workload that steady cells ran on one processor and on several. Each table
    has a row for each program and number of processors."""
    steady = [cell for cell in result.cells if cell.mode == "steady" and _own_processors(cell)]
    alone = {_program(cell): cell for cell in steady if cell.threads == 1}
    rows: dict[str, list[Row]] = {}
    for cell in sorted(steady, key=lambda one: one.threads):
        base = alone.get(_program(cell))
        if cell.threads > 1 and base is not None:
            rows.setdefault(_title(cell), []).append(_row(cell, base))
    return [Table(plain(title), COLUMNS, tuple(found)) for title, found in rows.items()]


def _own_processors(cell: CellResult) -> bool:
    return cell.is_program and cell.factors.processors == cell.threads


def _program(cell: CellResult) -> tuple[object, ...]:
    """The key of a program. The key is equal for cells that differ only in threads and
    processors."""
    work = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size, cell.mode)
    factors = cell.factors.model_copy(update={"processors": 1})
    return (*work, cell.variant, cell.tier, factors, cell.drive)


def _title(cell: CellResult) -> str:
    parts = [cell.benchmark, cell.workload, cell.size, cell.mode]
    parts += [cell.own] if cell.own else []
    parts += [f"seed {cell.seed}"] if cell.seed != 1 else []
    return f"{' · '.join(parts)} · parallel efficiency"


def _row(cell: CellResult, base: CellResult) -> Row:
    name = cell.variant if cell.tier == "standard" else f"{cell.variant} ({cell.tier})"
    wall = list(_amounts(base, cell, "wall"))
    cpu = list(_amounts(base, cell, "cpu"))
    (t1, tp), (c1, cp) = wall, cpu
    processors = _Amount(cell.threads, (cell.threads, cell.threads))
    ratios = (
        _ratio([t1], [processors, tp]),
        _ratio([cp], [c1]),
        _ratio([cp, t1], [c1, processors, tp]),
    )
    state = worst([ratio.verdict for ratio in ratios])
    texts = [_text(ratio) for ratio in ratios]
    return Row((plain(name), str(cell.threads), *texts, state), state)


@dataclass(frozen=True)
class _Amount:
    """The value of a figure with its lower and upper bound. A bound is None if that side is
    open."""

    value: float | None
    ends: Bounds
    verdict: VerdictState = "fair"


def _amounts(base: CellResult, cell: CellResult, name: str) -> Iterator[_Amount]:
    for one in (base, cell):
        figure: Figure | None = one.figures.get(name)
        if figure is None or figure.value is None:
            yield _Amount(None, (None, None), "void")
        else:
            ends = figure.bounds or (figure.value, figure.value)
            yield _Amount(figure.value, ends, figure.verdict)


def _ratio(above: list[_Amount], below: list[_Amount]) -> _Amount:
    """The product of the amounts `above` divided by the product of the amounts `below`."""
    least = _divided([one.ends[0] for one in above], [one.ends[1] for one in below])
    most = _divided([one.ends[1] for one in above], [one.ends[0] for one in below])
    value = _divided([one.value for one in above], [one.value for one in below])
    return _Amount(value, (least, most), worst([one.verdict for one in (*above, *below)]))


def _divided(above: list[float | None], below: list[float | None]) -> float | None:
    quotient = 1.0
    for one in above:
        if one is None:
            return None
        quotient *= one
    for one in below:
        if not one:
            return None
        quotient /= one
    return quotient


def _text(ratio: _Amount) -> str:
    if ratio.value is None:
        return "void"
    exact = ratio.ends == (ratio.value, ratio.value)
    text = quantity.bounded(ratio.value, None if exact else ratio.ends, "count")
    return text + ("*" if ratio.verdict == "flagged" else "")


USER_ONLY = " (without the kernel)"


def cycles_row(
    who: str, cycles: float, instructions: float | None, *, user_only: bool
) -> tuple[str, ...]:
    """A row of the cycles' tables: name, cycles, instructions, instructions per cycle."""
    told = ("—", "—")
    if instructions is not None:
        a_cycle = quantity.three_digits(instructions / cycles) if cycles else "—"
        told = (quantity.counted(instructions), a_cycle)
    return (who + (USER_ONLY if user_only else ""), quantity.counted(cycles), *told)


def cycle_tables(result: RunResult) -> list[Table]:
    """The table of cycles and instructions of all cold cells whose processor counted them; no table
    if there are no such cells."""
    rows = []
    for cell in result.cells:
        found = cell.processor
        if found is not None:
            who = plain(f"{_work(cell)} · {cell.variant}")
            row = cycles_row(who, found.cycles, found.instructions, user_only=found.user_only)
            rows.append(Row((*row, found.verdict), found.verdict))
    columns = ("program", "cycles/execution", "instructions", "IPC", "verdict")
    return [Table("cycles of a whole process", columns, tuple(rows))] if rows else []


def _work(cell: CellResult) -> str:
    parts = [cell.benchmark, cell.workload, cell.size, *([cell.own] if cell.own else [])]
    return " · ".join([*parts, *([] if cell.tier == "standard" else [cell.tier])])
