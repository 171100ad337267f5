"""One model behind terminal tables, Markdown and JSON: a run's figures with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runfair.fairness.evidence import CellEvidence, RunEvidence
from runfair.fairness.figures import (
    LATENCIES,
    NAMED,
    better_of,
    bounds_of,
    cell_values,
    execution_value,
    figures_of,
    unit_of,
)
from runfair.formats.finding import FigureName, Verdict, VerdictFile, VerdictState
from runfair.formats.plan import Cell
from runfair.formats.result import (
    Bounds,
    CellResult,
    Estimate,
    Figure,
    GeometricMean,
    Interval,
    Relative,
    RunResult,
)
from runfair.report.cycles import process_cycles
from runfair.report.machine_level import machine_level
from runfair.report.service_model import service_result
from runfair.report.source_lines import line_series, lines_untold
from runfair.report.verdict_words import worst
from runfair.statistics.agreement import agreement
from runfair.statistics.comparison import Ratio, paired_ratio
from runfair.statistics.geometric_mean import geometric_mean
from runfair.statistics.headline import headline
from runfair.statistics.location import location
from runfair.statistics.multiplicity import holm
from runfair.statistics.steady_state import Classification


@dataclass(frozen=True)
class _Compared:
    """A cell's ratio to the baseline of its group, one figure."""

    cell: str
    figure: FigureName
    baseline: Cell
    ratio: Ratio
    verdict: VerdictState
    bounds: Bounds | None = None

    @property
    def with_itself(self) -> bool:
        return self.cell == self.baseline.id


def assemble(run: str, evidence: RunEvidence, judged: VerdictFile) -> RunResult:
    """Every figure of a run. A void figure has no value, no interval and no ratio."""
    verdicts = {one.cell: one.figures for one in judged.cells}
    compared = _compare_all(evidence, verdicts)
    ratios = {(one.cell, one.figure): one for one in compared}
    relative = _relative(evidence, compared)
    by_id = {one.cell.id: one for one in evidence.cells}
    cells = [
        _cell_result(cell, by_id.get(cell.id), verdicts.get(cell.id, {}), relative)
        for cell in evidence.plan.cells
    ]
    recorded = sum(len(one.blocks) for one in evidence.cells)
    return RunResult(
        run=run,
        experiment=evidence.plan.experiment,
        profile=evidence.plan.profile,
        baseline=evidence.plan.baseline,
        complete=recorded >= sum(one.planned for one in evidence.cells),
        cells=cells,
        geometric_means=_geometric_means(evidence, ratios),
        findings=judged.run,
        machine_level=machine_level(evidence),
    )


def _cell_result(
    cell: Cell,
    evidence: CellEvidence | None,
    verdicts: dict[FigureName, Verdict],
    relative: dict[tuple[str, FigureName], Relative],
) -> CellResult:
    classifications = [
        one.steady.classification for one in (evidence.completed if evidence else ()) if one.steady
    ]
    return CellResult(
        id=cell.id,
        benchmark=cell.benchmark,
        workload=cell.workload,
        size=cell.size,
        tier=cell.tier,
        mode=cell.mode,
        threads=cell.threads,
        own=cell.own,
        seed=cell.seed,
        variant=cell.variant,
        language=cell.language,
        factors=cell.factors,
        executions=len(evidence.completed) if evidence else 0,
        failed=len(evidence.failed) if evidence else 0,
        steady_state=_steadiness(classifications),
        figures={
            figure: _figure(evidence, figure, verdicts[figure], relative.get((cell.id, figure)))
            for figure in figures_of(cell)
            if evidence is not None and figure in verdicts
        },
        unsupported=cell.unsupported,
        failed_to_build=cell.failed_to_build,
        service=service_result(cell, evidence, verdicts),
        drive=cell.drive,
        parameters=cell.parameters,
        lines=line_series(evidence, verdicts),
        lines_untold=lines_untold(evidence),
        processor=process_cycles(evidence, verdicts),
    )


def _steadiness(classifications: Sequence[Classification]) -> str | None:
    """One word for all executions where they agree, otherwise how they do not."""
    if not classifications:
        return None
    if len(set(classifications)) == 1:
        return classifications[0]
    return agreement(classifications)


def _figure(
    evidence: CellEvidence, figure: FigureName, verdict: Verdict, relative: Relative | None
) -> Figure:
    unit, better = unit_of(evidence.cell, figure), better_of(evidence.cell, figure)
    value: float | None = None
    interval: Interval | None = None
    without: Estimate | None = None
    if verdict.state != "void":
        value, interval = _estimate(evidence, figure)
        if evidence.as_planned:
            planned = replace(evidence, executions=evidence.as_planned)
            first, first_interval = _estimate(planned, figure)
            if first is not None:
                without = Estimate(value=first, interval=first_interval)
    return Figure(
        unit=unit,
        better=better,
        value=value,
        interval=interval,
        bounds=verdict.bounds,
        verdict=verdict.state,
        findings=verdict.findings,
        relative=relative,
        without_repeats=without,
    )


def _estimate(evidence: CellEvidence, figure: FigureName) -> tuple[float | None, Interval | None]:
    values = cell_values(evidence, figure)
    if figure in NAMED:  # nothing took no time and no memory, but a distribution may be zeros
        values = [value for value in values if value > 0]
    # What was recorded until an execution was cut short has its place in the middle, too.
    value, interval = _centre([*values, *bounds_of(evidence, figure)], figure)
    # Bytes are whole; what logarithms leave behind the point is no measurement.
    whole = value is not None and unit_of(evidence.cell, figure) != "ns"
    return round(value) if whole and value is not None else value, interval


def _centre(values: Sequence[float], figure: FigureName) -> tuple[float | None, Interval | None]:
    """The middle of the executions' values, with its interval."""
    if not values:
        return None, None
    if min(values) <= 0:
        return float(np.median(values)), None
    # A tail made by a handful of stalls puts executions into two kinds.
    tailed = figure in LATENCIES or figure not in NAMED
    centre = headline(values) if tailed else location(values)
    if centre.low is None or centre.high is None:
        return centre.value, None
    return centre.value, (centre.low, centre.high)


def _positive(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None


def _compare_all(
    evidence: RunEvidence, verdicts: dict[str, dict[FigureName, Verdict]]
) -> list[_Compared]:
    compared = []
    for group in evidence.groups():
        baseline = evidence.baseline(group)
        for one in group:
            for figure in figures_of(one.cell):
                if figure not in verdicts[baseline.cell.id]:
                    continue
                state = worst([verdicts[each.cell.id][figure].state for each in (one, baseline)])
                if state == "void":
                    continue
                ratio = compare(one, baseline, figure)
                if ratio is not None:
                    sides = [(each, verdicts[each.cell.id][figure]) for each in (one, baseline)]
                    bounds = ratio_bounds(figure, *sides) if one is not baseline else None
                    compared.append(
                        _Compared(one.cell.id, figure, baseline.cell, ratio, state, bounds)
                    )
    return compared


Side = tuple[CellEvidence, Verdict]


def ratio_bounds(figure: FigureName, one: Side, baseline: Side) -> Bounds | None:
    """Between what a ratio lies where either side is bounded: the least by the greatest, and the
    greatest by the least. None where neither is."""
    if one[1].bounds is None and baseline[1].bounds is None:
        return None
    (least, most), (least_base, most_base) = (_ends(*side, figure) for side in (one, baseline))
    return (
        least / most_base if least is not None and most_base else None,
        most / least_base if most is not None and least_base else None,
    )


def _ends(evidence: CellEvidence, verdict: Verdict, figure: FigureName) -> Bounds:
    if verdict.bounds is not None:
        return verdict.bounds
    value, interval = _centre(cell_values(evidence, figure), figure)
    return interval or (value, value)


def compare(one: CellEvidence, baseline: CellEvidence, figure: FigureName) -> Ratio | None:
    """The ratio of two cells of a run, paired on half-blocks: the order is one pair, its mirror
    another. None where no half-block has both, or where one of them has but a bound."""
    if bounds_of(one, figure) or bounds_of(baseline, figure):
        return None
    ours, theirs = _half_blocks(one, figure), _half_blocks(baseline, figure)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return None
    return paired_ratio([ours[key] for key in shared], [theirs[key] for key in shared])


def _half_blocks(cell: CellEvidence, figure: FigureName) -> dict[tuple[int, int], float]:
    """The value of each half-block: (block, 0 in the order or 1 in its mirror)."""
    seen: dict[int, list[tuple[int, float | None]]] = {}
    for one in cell.blocks:
        record = one.record
        value = _positive(execution_value(one, figure))
        seen.setdefault(record.block, []).append((record.position, value))
    return {
        (block, half): value
        for block, members in seen.items()
        if len(members) == 2
        for half, (_, value) in enumerate(sorted(members))
        if value is not None
    }


def _relative(
    evidence: RunEvidence, compared: Sequence[_Compared]
) -> dict[tuple[str, FigureName], Relative]:
    """Ratios as they are shown; statements of difference are corrected over each table's figure."""
    groups = {one.cell.id: one.cell.group for one in evidence.cells}
    tables: dict[object, list[_Compared]] = {}
    for one in compared:
        tables.setdefault((groups[one.cell], one.figure), []).append(one)
    floors = _noise_floors(evidence)
    relative: dict[tuple[str, FigureName], Relative] = {}
    for members in tables.values():
        others = [one for one in members if not one.with_itself]
        adjusted = dict(
            zip([o.cell for o in others], holm([o.ratio.p for o in others]), strict=True)
        )
        for one in members:
            floor = floors.get(one.figure)
            relative[one.cell, one.figure] = Relative(
                baseline=one.baseline.variant,
                value=one.ratio.value,
                interval=interval_of(one.ratio) if one.cell in adjusted else None,
                bounds=one.bounds,
                p=adjusted.get(one.cell),
                within_noise_floor=one.cell in adjusted
                and floor is not None
                and one.ratio.within_noise_floor(floor),
            )
    return relative


def interval_of(ratio: Ratio) -> Interval | None:
    if ratio.low is None or ratio.high is None:
        return None
    return (ratio.low, ratio.high)


def _noise_floors(evidence: RunEvidence) -> dict[FigureName, float]:
    calibration = evidence.host.calibration
    if calibration is None:
        return {}
    return {"wall": calibration.noise_floor_wall, "cpu": calibration.noise_floor_cpu}


def _geometric_means(
    evidence: RunEvidence, ratios: dict[tuple[str, FigureName], _Compared]
) -> list[GeometricMean]:
    """Means of what is alike in all but benchmark, workload and seed, and compared with the run's
    own baseline. A mean over different sets compares nothing; so a variant that lacks one of the
    workloads in which anybody has a figure has no mean."""
    kinds: dict[tuple[object, ...], list[CellEvidence]] = {}
    for one in evidence.programs:
        cell = one.cell
        driven = cell.drive is not None  # a pass is no whole process
        kind = (cell.mode, cell.size, cell.tier, cell.threads, cell.factors, driven)
        kinds.setdefault(kind, []).append(one)
    return [
        mean
        for cells in kinds.values()
        for figure in _common(cells)
        if figure != "start"
        for mean in _means_of_kind([one.cell for one in cells], figure, evidence, ratios)
    ]


def _common(cells: Sequence[CellEvidence]) -> list[FigureName]:
    """Figures that all of them have: a distribution is of one benchmark."""
    return [
        figure
        for figure in figures_of(cells[0].cell)
        if all(figure in figures_of(one.cell) for one in cells)
    ]


def _means_of_kind(
    cells: Sequence[Cell],
    figure: FigureName,
    evidence: RunEvidence,
    ratios: dict[tuple[str, FigureName], _Compared],
) -> Iterator[GeometricMean]:
    wanted = evidence.plan.baseline
    by_variant: dict[str, dict[object, _Compared]] = {}
    for cell in cells:
        compared = ratios.get((cell.id, figure))
        if compared is not None and wanted in (
            compared.baseline.variant,
            compared.baseline.language,
        ):
            by_variant.setdefault(cell.variant, {})[cell.group] = compared
    groups = {group for mine in by_variant.values() for group in mine}
    benchmarks = {cell.benchmark for cell in cells if cell.group in groups}
    if len(benchmarks) < 2:
        return
    for variant, mine in by_variant.items():
        if set(mine) != groups:
            continue
        mean = geometric_mean([one.ratio for one in mine.values()])
        itself = all(one.with_itself for one in mine.values())
        known = not itself and mean.low is not None and mean.high is not None
        first = cells[0]
        yield GeometricMean(
            variant=variant,
            mode=first.mode,
            size=first.size,
            tier=first.tier,
            threads=first.threads,
            factors=first.factors,
            figure=figure,
            baseline=next(iter(mine.values())).baseline.variant,
            driven=first.drive is not None,
            benchmarks=len(benchmarks),
            workloads=len(groups),
            value=mean.value,
            interval=(mean.low, mean.high) if known else None,
            bounds=_mean_bounds([*mine.values()]),
            verdict=worst([one.verdict for one in mine.values()]),
        )


def _mean_bounds(compared: Sequence[_Compared]) -> Bounds | None:
    """Of the mean of ratios some of which are bounded: of the others, their intervals' ends."""
    if all(one.bounds is None for one in compared):
        return None
    ends = [
        one.bounds or interval_of(one.ratio) or (one.ratio.value, one.ratio.value)
        for one in compared
    ]

    def middle(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None and value > 0]
        return float(np.exp(np.mean(np.log(known)))) if len(known) == len(values) else None

    return middle([low for low, _ in ends]), middle([high for _, high in ends])
