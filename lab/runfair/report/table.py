"""The tables of a run. The texts of the tables and notes are computed once for all outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from runfair.fairness.figures import SHOWN
from runfair.formats.finding import FigureName, worst
from runfair.formats.result import (
    CellResult,
    Figure,
    GeometricMean,
    RunResult,
)
from runfair.report.checks_tables import checks_tables
from runfair.report.crossover_tables import crossover_tables
from runfair.report.notes import Notes, verdict_words
from runfair.report.peak_tables import peak_tables
from runfair.report.processor_tables import cycle_tables, efficiency_tables, use_table
from runfair.report.service_tables import service_tables
from runfair.report.sweep import memory_slope_tables, sweep_tables
from runfair.report.version_tables import version_tables
from runfair.wording import quantity
from runfair.wording.naming import name_of, program_name, surroundings
from runfair.wording.quantity import bounded_ratio, interval, ratio
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

# The times of a whole process: the time until its task begins, the time of the task, and the total.
SHOWN_COLD: tuple[FigureName, ...] = ("first", "work", "wall", "cpu", "memory")
TOTAL = "total"
FEWEST_ALIKE = 3  # cells that were not run for the same reason, and therefore share a note
RATIO = "× [95%]"
LEGEND = (
    "*: flagged; the numbers after the verdict refer to the notes below the table · (run): a "
    "finding about the whole run caused the verdict; the finding is printed above the tables · "
    "void: there is no valid number · —: not measured · [low, high]: 95% confidence interval · "
    "“low to high”, ≤, ≥: bounds, between which the true value lies · =: the difference is within "
    "the machine's noise floor, so it may be due to chance · “before work”: the time from the "
    "process's start to its first iteration"
)


_Means = dict[FigureName, GeometricMean]


def tables(result: RunResult) -> list[Table]:
    """All tables of a run: one for each comparison group, then sweeps, crossovers, slopes, cycles,
    V8's checks, geometric means, services at their operating points and at their peaks, and figures
    without repeats."""
    shown = [
        table
        for cells in program_groups(result)
        for table in (_group(cells), use_table(cells, _title(cells[0])), *_distributions(cells))
        if table is not None
    ]
    further = [
        *sweep_tables(result),
        *crossover_tables(result),
        *version_tables(result),
        *efficiency_tables(result),
        *memory_slope_tables(result),
        *cycle_tables(result),
        *checks_tables(result),
        *_means(result),
    ]
    services = [*service_tables(result), *peak_tables(result)]
    return [*shown, *further, *services, *repeat_tables(result)]


def program_groups(result: RunResult) -> list[list[CellResult]]:
    """The groups of programs that are compared with each other."""
    groups: dict[tuple[object, ...], list[CellResult]] = {}
    for cell in result.cells:
        if not cell.is_program:
            continue
        key = (
            *(cell.benchmark, cell.workload, cell.own, cell.seed),
            *(cell.size, cell.mode, cell.threads),
            *(cell.factors, cell.drive),
        )
        groups.setdefault(key, []).append(cell)
    return list(groups.values())


def _group(cells: Sequence[CellResult]) -> Table:
    shown = _shown(cells)
    # With an empty page cache, the loading of the runtime is part of the measurement.
    if cells[0].mode == "cold" and cells[0].factors.page_cache == "empty":
        shown = (*shown, "start")
    return replace(_table(cells, shown), narrow=tuple(_table(cells, (figure,)) for figure in shown))


def _distributions(cells: Sequence[CellResult]) -> Iterator[Table]:
    """A table for each distribution of the benchmark of a comparison group."""
    figures = dict.fromkeys(name for cell in cells for name in cell.figures if "." in name)
    gathered: dict[str, list[FigureName]] = {}
    for figure in figures:
        gathered.setdefault(figure.partition(".")[0], []).append(figure)
    for name, shown in gathered.items():
        table = _table(cells, tuple(shown))
        yield replace(table, title=f"{plain(name)} · {table.title}")


def _shown(cells: Sequence[CellResult]) -> tuple[FigureName, ...]:
    """The figures that a table of these cells shows. The parts of a process's time are left out for
    passes over a server. The parts are also left out for old runs, whose programs did not report
    when their iteration began."""
    works = [cell.figures["work"] for cell in cells if "work" in cell.figures]
    told = any(work.value is not None or work.verdict == "void" for work in works)
    return SHOWN_COLD if told else SHOWN


def _column(figure: FigureName, shown: Sequence[FigureName]) -> str:
    """The name of the column. If the parts of a process's time are shown, its wall time is called
    the total."""
    return TOTAL if figure == "wall" and "work" in shown else name_of(figure)


def _table(cells: Sequence[CellResult], figures: tuple[FigureName, ...]) -> Table:
    notes, shown = Notes(), _shown(cells)
    baseline = _baseline(cells)
    against = f"against {baseline}" if baseline else "no baseline"
    alike = _alike_absent(cells)
    rows = [
        _row(cell, figures, notes) for cell in sorted(cells, key=_rank) if cell.absent not in alike
    ]
    absent = [f"{reason}: {', '.join(names)}" for reason, names in alike.items()]
    return Table(
        title=plain(f"{_title(cells[0])} · {against}"),
        columns=(
            "variant",
            *(name for figure in figures for name in (_column(figure, shown), RATIO)),
            "verdict",
        ),
        rows=tuple(rows),
        notes=(*notes.lines(), *map(plain, absent)),
    )


def _alike_absent(cells: Sequence[CellResult]) -> dict[str, list[str]]:
    """The reasons for which at least `FEWEST_ALIKE` cells were not run, with the names of these
    cells. They share a note, so that they do not hide the rows with figures."""
    named: dict[str, list[str]] = {}
    for cell in cells:
        if cell.absent:
            named.setdefault(cell.absent, []).append(program_name(cell))
    some = len(cells) > sum(map(len, named.values()))
    return {reason: names for reason, names in named.items() if some and len(names) >= FEWEST_ALIKE}


def _title(cell: CellResult) -> str:
    parts = [cell.benchmark, cell.workload, cell.size, cell.mode]
    if cell.own:
        parts.append(cell.own)
    if cell.seed != 1:
        parts.append(f"seed {cell.seed}")
    parts += surroundings(cell.threads, cell.factors)
    if cell.drive is not None:
        count = cell.drive.connections
        parts.append(f"passes over {count} connection" + ("" if count == 1 else "s"))
    return " · ".join(parts)


def _baseline(cells: Sequence[CellResult]) -> str | None:
    for cell in cells:
        for figure in cell.figures.values():
            if figure.relative is not None:
                return figure.relative.baseline
    return None


def _rank(cell: CellResult) -> tuple[int, float, str]:
    """The sort key of rows. The fastest comes first, by the first figure that has a ratio. Rows
    without figures come last."""
    for place, name in enumerate(SHOWN):  # CPU time first, because other processes disturb it least
        figure = cell.figures.get(name)
        if figure is not None and figure.relative is not None:
            return (place, figure.relative.value, cell.variant)
    return (len(SHOWN) + bool(cell.absent), 0.0, cell.variant)


def _row(cell: CellResult, shown: tuple[FigureName, ...], notes: Notes) -> Row:
    name = program_name(cell)
    blank = ("",) * (2 * len(shown))
    if cell.absent:
        return Row((name, *blank, plain(cell.absent)), None)
    if not cell.figures or not cell.executions + cell.failed:
        return Row((name, *blank, "not measured"), None)
    texts: list[str] = []
    for figure_name in shown:
        texts += _figure(cell.figures.get(figure_name))
    figures = [cell.figures[figure_name] for figure_name in shown if figure_name in cell.figures]
    state = worst([figure.verdict for figure in figures])
    return Row((name, *texts, verdict_words(cell, figures, notes)), state)


def _figure(figure: Figure | None) -> list[str]:
    """The texts of a figure: its value and its ratio. A void number is replaced by the word `void`;
    a flagged number has a star."""
    if figure is not None and figure.verdict == "void":
        return ["void", ""]
    if figure is None or figure.value is None:
        return ["—", ""]
    text = quantity.bounded(figure.value, figure.bounds, figure.unit)
    return [text + ("*" if figure.verdict == "flagged" else ""), ratio(figure.relative)]


def _means(result: RunResult) -> list[Table]:
    kinds: dict[str, dict[str, _Means]] = {}
    for mean in result.geometric_means:
        variants = kinds.setdefault(_mean_title(mean), {})
        variants.setdefault(mean.variant, {})[mean.figure] = mean
    made = []
    for title, variants in kinds.items():
        have = {figure for means in variants.values() for figure in means}
        shown = SHOWN_COLD if "work" in have else SHOWN
        narrow = tuple(_mean_table(title, variants, (figure,)) for figure in shown)
        made.append(replace(_mean_table(title, variants, shown), narrow=narrow))
    return made


def _mean_title(mean: GeometricMean) -> str:
    parts = [mean.size, mean.mode, *surroundings(mean.threads, mean.factors)]
    if mean.tier != "standard":
        parts.append(f"tier {mean.tier}")
    if mean.driven:
        parts.append("passes over servers")
    return f"geometric mean · {' · '.join(parts)} · against {mean.baseline}"


def _counted(figure: FigureName, variants: dict[str, _Means], shown: Sequence[FigureName]) -> str:
    """The name of the column with its number of workloads. The number is smaller if the figure is
    void in some workloads."""
    for means in variants.values():
        if figure in means:
            return f"{_column(figure, shown)} of {means[figure].workloads}"
    return _column(figure, shown)


def _mean_table(title: str, variants: dict[str, _Means], figures: tuple[FigureName, ...]) -> Table:
    rows = []
    for variant, means in sorted(variants.items(), key=lambda item: _mean_rank(item[1])):
        shown = [means[figure] for figure in figures if figure in means]
        state = worst([mean.verdict for mean in shown]) if shown else "void"
        texts = [_mean_text(means.get(figure)) for figure in figures]
        rows.append(Row((plain(variant), *texts, state), state))
    heads = (f"{_counted(one, variants, figures)} {RATIO}" for one in figures)
    columns = ("variant", *heads, "verdict")
    return Table(title, columns, tuple(rows))


def _mean_text(mean: GeometricMean | None) -> str:
    if mean is None:
        return "—"
    star = "*" if mean.verdict == "flagged" else ""
    if mean.bounds is not None:
        return f"{bounded_ratio(mean.bounds) or '—'}{star}"
    return f"{quantity.three_digits(mean.value)}{star}{interval(mean.interval)}"


def _mean_rank(means: _Means) -> float:
    for figure in SHOWN:
        if figure in means:
            return means[figure].value
    return 0.0


SHOWN_REPEATED: tuple[FigureName, ...] = ("cpu", "wall", "p50", "p99")
REPEATS = "with and without repeated blocks"
REPEATS_NOTE = (
    "other processes disturbed some blocks (groups of executions), so runfair repeated these "
    "blocks. For each block, the other tables show the first attempt that was not disturbed. "
    "To decide whether an attempt was disturbed, runfair uses the kernel's counters (such as "
    "steal time) and its reference loop (constant work), but never the measured values"
)


def repeat_tables(result: RunResult) -> Iterator[Table]:
    """The table of the cells with a repeated block; no table if no repeat is counted."""
    rows = [
        Row((plain(cell.id), name_of(name), quantity.shown(figure), _without(figure)), None)
        for cell in result.cells
        for name, figure in _repeated(cell)
    ]
    if rows:
        columns = ("cell", "figure", "with repeats", "without")
        yield Table(REPEATS, columns, tuple(rows), (REPEATS_NOTE,))


def _repeated(cell: CellResult) -> list[tuple[FigureName, Figure]]:
    found = [(name, cell.figures[name]) for name in SHOWN_REPEATED if name in cell.figures]
    return [(name, figure) for name, figure in found if figure.without_repeats is not None]


def _without(figure: Figure) -> str:
    planned = figure.without_repeats
    return "" if planned is None else quantity.in_unit(planned.value, figure.unit)
