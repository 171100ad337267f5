"""Cycles and instructions of programs run to their end, where the processor counts them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from runfair.fairness.evidence import CellEvidence
from runfair.formats.finding import FigureName, Verdict
from runfair.formats.result import CellResult, ProcessCycles, RunResult
from runfair.report import quantity
from runfair.report.grid import Row, Table
from runfair.report.plain_text import plain

USER_ONLY = " (without the kernel)"


def process_cycles(
    evidence: CellEvidence | None, verdicts: Mapping[FigureName, Verdict]
) -> ProcessCycles | None:
    """Of a cold cell, whose iteration is the whole process: of others the counts hold the start and
    the warm-up too, which nobody asked about. None where the CPU time is void."""
    verdict = verdicts.get("cpu")
    if evidence is None or evidence.cell.mode != "cold" or verdict is None:
        return None
    counted = [
        (each, cycles, instructions)
        for one in evidence.completed
        if (each := one.record.launch.processor) is not None
        and (cycles := each.cycles.estimate) is not None
        and (instructions := each.instructions.estimate) is not None
    ]
    if not counted or verdict.state == "void":
        return None
    return ProcessCycles(
        verdict=verdict.state,
        cycles=median(cycles for _, cycles, _ in counted),
        instructions=median(instructions for _, _, instructions in counted),
        user_only=any(each.user_only for each, _, _ in counted),
    )


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
