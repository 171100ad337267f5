"""The questions about programs: how fast is each variant, in each suite or each benchmark?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import log

from runfair.fairness.figures import TIMES
from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, GeometricMean, RunResult
from runfair.report.conclusion.question import (
    Concern,
    Condition,
    Question,
    capital,
    condition_of,
    listed,
    names_of,
    row,
    unanswered,
    why,
)
from runfair.report.conclusion.ranking import Ranking, of_cells, of_means, ratio_text
from runfair.report.sweep import sweeps
from runfair.report.table import program_groups
from runfair.wording import quantity
from runfair.wording.naming import label, name_of, workload
from runfair.wording.text import short

# Other processes disturb CPU time least; wall time is used if CPU time is void.
ASKED: tuple[FigureName, ...] = ("cpu", "wall")
OF_ONE: tuple[FigureName, ...] = ("cpu", "wall", "memory")
LARGE_SUITE = 3  # from this number of workloads on, the cells farthest from their means are listed
FARTHEST = 3

Means = dict[Condition, list[GeometricMean]]


def program_questions(result: RunResult, limits: Collection[str]) -> Iterator[Question]:
    """The questions about all programs. Cells that are points of a sweep are left out; sweeps have
    their own questions."""
    swept = {cell.id for _, cells in sweeps(result) for cell in cells}
    groups = [
        cells
        for cells in program_groups(result)
        if not all(cell.id in swept for cell in cells) and not sampled(cells)
    ]
    cells = [cell for group in groups for cell in group]
    means = _means(result, cells)
    if means:
        yield _suite(means, cells, limits)
    left = [group for group in groups if not all(condition_of(cell) in means for cell in group)]
    subjects: dict[str, list[list[CellResult]]] = {}
    for group in left:
        if len(group) > 1:
            subjects.setdefault(workload(group[0]), []).append(group)
    for subject in subjects.values():
        yield _benchmark(subject, limits)
    if alone := [group[0] for group in left if len(group) == 1]:
        yield _alone(alone, limits)


def distribution_questions(result: RunResult, limits: Collection[str]) -> Iterator[Question]:
    """The questions about benchmarks with distributions. Each is answered by percentiles; the first
    declared percentile is the most important."""
    swept = {cell.id for _, cells in sweeps(result) for cell in cells}
    for cells in program_groups(result):
        if all(cell.id in swept for cell in cells):
            continue
        shares: dict[str, list[FigureName]] = {}
        for figure in sampled(cells):
            shares.setdefault(figure.partition(".")[0], []).append(figure)
        for name, figures in shares.items():
            ranking = of_cells(condition_of(cells[0]).label, cells, figures, limits)
            title = f"{workload(cells[0])}: {name}, {ranking.label}"
            yield replace(
                _question(title, [ranking], cells, figures[:1], limits),
                concerns=_concerns(cells, figures),
            )


def sampled(cells: Sequence[CellResult]) -> list[FigureName]:
    """The percentiles of distributions that these cells have, in the order of their declaration."""
    return list(dict.fromkeys(name for cell in cells for name in cell.figures if "." in name))


def _means(result: RunResult, cells: Sequence[CellResult]) -> Means:
    """The question about geometric means, in each condition; the steady state comes first. A mean
    is left out if it also covers other workloads than those of `cells`. (These other workloads have
    distributions, and each of them has a question of its own.)"""
    asked: dict[Condition, set[str]] = {}
    for cell in cells:
        asked.setdefault(condition_of(cell), set()).add(workload(cell))
    found: Means = {}
    for figure in ASKED:
        told: Means = {}
        for mean in result.geometric_means:
            covered = asked.get(condition_of(mean), ())
            if mean.figure == figure and len(covered) >= mean.workloads:
                told.setdefault(condition_of(mean), []).append(mean)
        # If only the baseline was measured, every mean is 1.
        found = {condition: one for condition, one in told.items() if len(one) > 1} | found
    return dict(sorted(found.items(), key=lambda item: item[0].mode != "steady"))


def _suite(means: Means, cells: Sequence[CellResult], limits: Collection[str]) -> Question:
    members = {
        condition: [cell for cell in cells if condition_of(cell) == condition]
        for condition in means
    }
    rankings = [
        of_means(condition.label, told[0].figure, told, members[condition])
        for condition, told in means.items()
    ]
    primary, condition = rankings[0], next(iter(means))
    first = means[condition][0]
    same = first.workloads == first.benchmarks
    title = (
        f"{capital(primary.label)}: {name_of(primary.figure)}, {primary.baseline} = 1, "
        f"geometric mean of {first.workloads} {'benchmarks' if same else 'workloads'}"
    )
    further = (
        _farthest(means[condition], members[condition]) if first.workloads >= LARGE_SUITE else ""
    )
    asked = [cell for mine in members.values() for cell in mine]
    return _question(title, rankings, asked, TIMES, limits, further)


def _farthest(means: Sequence[GeometricMean], cells: Sequence[CellResult]) -> str:
    """The cells whose ratios differ most from the mean of their variant."""
    middle = {one.variant: one.value for one in means if one.variant != one.baseline}
    asked = means[0].figure
    ratios = [
        (figure.relative, cell)
        for cell in cells
        if cell.variant in middle
        and (figure := cell.figures.get(asked)) is not None
        and figure.relative is not None
        and figure.relative.baseline == means[0].baseline
    ]
    ratios.sort(key=lambda one: -abs(log(one[0].value / middle[one[1].variant])))
    names = names_of(cells)
    named = [
        f"{short(cell.benchmark)} with {names[cell.id]} {ratio_text(relative)}"
        + (" (flagged)" if cell.figures[asked].verdict == "flagged" else "")
        for relative, cell in ratios[:FARTHEST]
    ]
    return f"Ratios farthest from the geometric means: {listed(named)}." if named else ""


def _benchmark(groups: Sequence[Sequence[CellResult]], limits: Collection[str]) -> Question:
    """The question about one workload of one benchmark, in each measured condition; the steady
    state comes first."""
    ordered = sorted(groups, key=lambda cells: cells[0].mode != "steady")
    rankings = []
    for cells in ordered:
        asked = next((name for name in ASKED if not _all_void(cells, name)), ASKED[0])
        rankings.append(of_cells(condition_of(cells[0]).label, cells, (asked,), limits))
    primary = rankings[0]
    baseline = f", {primary.baseline} = 1" if primary.baseline else ""
    title = f"{workload(ordered[0][0])}: {primary.label}, {name_of(primary.figure)}{baseline}"
    return _question(title, rankings, [one for group in ordered for one in group], TIMES, limits)


def _alone(cells: Sequence[CellResult], limits: Collection[str]) -> Question:
    """The question about cells that have no other variant to compare with. The answer lists the
    figures of each cell."""
    lacking = unanswered(cells, TIMES, limits)
    named = [(label(cell), workload(cell), condition_of(cell).label) for cell in cells]
    common = [texts[0] for texts in zip(*named, strict=True) if len(set(texts)) == 1]
    rows = tuple(
        row(
            " · ".join(text for text in texts if text not in common) or texts[-1],
            cell,
            [quantity.shown(cell.figures.get(name)) for name in OF_ONE],
            OF_ONE,
            limits,
        )
        for texts, cell in zip(named, cells, strict=True)
    )
    return Question(
        title=f"{', '.join([*common, ''])}CPU time, wall time and peak memory",
        sentences=(
            why(lacking, TIMES) if lacking else "There is no other variant to compare with.",
        ),
        rows=rows,
        state="open" if lacking else "answered",
        concerns=_concerns(cells, OF_ONE),
        heading=("", *map(name_of, OF_ONE)),
    )


def _all_void(cells: Sequence[CellResult], name: FigureName) -> bool:
    return all(cell.figures[name].value is None for cell in cells if name in cell.figures)


def _question(
    title: str,
    rankings: Sequence[Ranking],
    cells: Sequence[CellResult],
    figures: Sequence[FigureName],
    limits: Collection[str],
    further: str = "",
) -> Question:
    """A question that rankings answer. The first ranking becomes the table, and each further
    ranking becomes a line. A cell is answered if any of the `figures` has a value."""
    lacking = unanswered(cells, figures, limits)
    primary, *others = rankings
    sentences = (
        why(lacking, figures) if lacking else "",
        primary.answer(),
        *(one.line() for one in others),
        further,
    )
    return Question(
        title=title,
        sentences=tuple(one for one in sentences if one) or ("Nothing was measured.",),
        rows=primary.rows,
        state="open" if lacking else "answered",
        concerns=_concerns(cells, {one.figure for one in rankings}),
        heading=primary.heading,
        in_rows=primary.in_rows and not lacking,
    )


def _concerns(cells: Sequence[CellResult], shown: Collection[FigureName]) -> tuple[Concern, ...]:
    return tuple((cell.id, name) for cell in cells for name in shown if name in cell.figures)
