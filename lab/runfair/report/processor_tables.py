"""Tables of processor use: idle and queued time, parallel efficiency, and cycles of whole
processes."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.fairness.figures import OF_PROCESSORS
from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import CellResult, Estimate, Figure, ParallelEfficiency, RunResult
from runfair.report.notes import Notes, verdict_words
from runfair.wording import quantity
from runfair.wording.naming import program_name
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = (
    *("variant", "processors", "efficiency", "work inflation", "utilisation"),
    *("kept on 1", "kept on all", "verdict"),
)
NOT_JUDGED = "not judged"
KEPT = (
    "the ratios are computed only from the “kept” iterations of the steady part. Usually runfair "
    "keeps the iterations in which the program had at least 95% of the processors' time. If fewer "
    "than half of an execution's iterations reach 95%, runfair judges the execution as a whole: it "
    "keeps all iterations if other processes used at most 5% of the processors' time, and "
    "otherwise none. “not judged” means that no iteration was kept"
)


def use_table(cells: Sequence[CellResult], title: str) -> Table | None:
    """The processors' use by the programs of a comparison group; None if no program has several
    threads or tasks of its own."""
    measured = [cell for cell in cells if not {*OF_PROCESSORS}.isdisjoint(cell.figures)]
    if not measured:
        return None
    notes = Notes()
    rows = []
    for cell in measured:
        figures = [cell.figures[name] for name in OF_PROCESSORS if name in cell.figures]
        texts = [_with_interval(figure) for figure in figures]
        state = worst([figure.verdict for figure in figures])
        rows.append(Row((program_name(cell), *texts, verdict_words(cell, figures, notes)), state))
    columns = ("variant", *OF_PROCESSORS, "verdict")
    return Table(f"processors · {title}", columns, tuple(rows), tuple(notes.lines()))


def _with_interval(figure: Figure) -> str:
    text = quantity.shown(figure)
    if figure.value is not None and figure.bounds is None and figure.interval is not None:
        low, high = (quantity.in_unit(end, figure.unit) for end in figure.interval)
        text += f" [{low}, {high}]"
    return text + ("*" if figure.verdict == "flagged" else "")


def efficiency_tables(result: RunResult) -> list[Table]:
    """A table for each workload that steady cells ran on one processor and on several. Each table
    has a row for each program and number of processors."""
    cells = {cell.id: cell for cell in result.cells}
    rows: dict[str, list[Row]] = {}
    for one in result.parallel_efficiency:
        cell = cells[one.cell]
        rows.setdefault(_title(cell), []).append(_row(cell, one))
    return [Table(plain(title), COLUMNS, tuple(found), (KEPT,)) for title, found in rows.items()]


def _title(cell: CellResult) -> str:
    parts = [cell.benchmark, cell.workload, cell.size, cell.mode]
    parts += [cell.own] if cell.own else []
    parts += [f"seed {cell.seed}"] if cell.seed != 1 else []
    return f"{' · '.join(parts)} · parallel efficiency"


def _row(cell: CellResult, one: ParallelEfficiency) -> Row:
    ratios = (one.efficiency, one.work_inflation, one.utilisation)
    kept = (_kept(one.kept_alone, one.iterations_alone), _kept(one.kept, one.iterations))
    judged = one.verdict == "void" or one.efficiency is not None
    state = one.verdict if judged else None
    texts = [_text(ratio, state) for ratio in ratios]
    return Row((program_name(cell), str(one.processors), *texts, *kept, state or NOT_JUDGED), state)


def _kept(kept: int, iterations: int) -> str:
    return f"{kept:,} of {iterations:,}"


def _text(ratio: Estimate | None, state: VerdictState | None) -> str:
    if ratio is None:
        return state or "—"
    text = quantity.three_digits(ratio.value) + quantity.interval(ratio.interval)
    return text + ("*" if state == "flagged" else "")


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
