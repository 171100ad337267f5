"""Cycles and instructions of programs run to their end, where the processor counts them."""

from __future__ import annotations

from runfair.formats.result import CellResult, RunResult
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

USER_ONLY = " (without the kernel)"


def cycles_row(
    who: str, cycles: float, instructions: float | None, *, user_only: bool
) -> tuple[str, ...]:
    """Who, cycles, instructions, and how many of these there are in a cycle."""
    told = ("—", "—")
    if instructions is not None:
        a_cycle = quantity.three_digits(instructions / cycles) if cycles else "—"
        told = (quantity.counted(instructions), a_cycle)
    return (who + (USER_ONLY if user_only else ""), quantity.counted(cycles), *told)


def cycle_tables(result: RunResult) -> list[Table]:
    """One table of all cold cells that were counted; none where there is no such cell."""
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
