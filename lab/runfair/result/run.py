"""The result of a run: every figure with its verdict, as all outputs show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from runfair.evidence.cell import CellEvidence
from runfair.evidence.machine_level import MachineLevel
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import (
    NAMED,
    OF_PROCESSORS,
    better_of,
    cell_values,
    cut_short_values,
    figures_of,
    unit_of,
)
from runfair.formats.finding import FigureName, Verdict, VerdictFile, worst
from runfair.formats.host import KINDS, ReferenceKind, ReferenceReading
from runfair.formats.plan import Cell, Plan
from runfair.formats.result import (
    Bounds,
    CellResult,
    Estimate,
    Figure,
    GeometricMean,
    Interval,
    LevelRange,
    MachineLevelResult,
    ProcessCycles,
    Relative,
    RunResult,
)
from runfair.result.crossover import crossovers
from runfair.result.parallel_efficiency import parallel_efficiencies
from runfair.result.peak import peak_result, score_results
from runfair.result.ratios import (
    BaselineRatio,
    baseline_ratios,
    estimate,
    interval_of,
    shown_ratios,
)
from runfair.result.service import service_result
from runfair.result.source_lines import line_series, lines_untold, probed_results
from runfair.statistics.comparison import geometric_mean
from runfair.statistics.log_interval import telling
from runfair.statistics.noise_floor import drift_along
from runfair.statistics.steady_state import Classification, agreement


def assemble(run: str, evidence: RunEvidence, judged: VerdictFile) -> RunResult:
    """Every figure of a run. A void figure has no value, no interval and no ratio."""
    verdicts = {one.cell: one.figures for one in judged.cells}
    compared = baseline_ratios(evidence, verdicts)
    ratios = {(one.cell, one.figure): one for one in compared}
    relative = shown_ratios(evidence, compared)
    by_id = {one.cell.id: one for one in evidence.cells}
    lines = {one.name: one.line for one in evidence.plan.variants}
    cells = [
        _cell_result(
            evidence.plan,
            cell,
            lines.get(cell.variant, ""),
            by_id.get(cell.id),
            verdicts.get(cell.id, {}),
            relative,
        )
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
        scores=score_results(cells, evidence.plan.scores),
        parallel_efficiency=[*parallel_efficiencies(evidence, verdicts)],
        crossovers=[*crossovers(cells, evidence.plan.crossovers)],
    )


def _cell_result(
    plan: Plan,
    cell: Cell,
    line: str,
    evidence: CellEvidence | None,
    verdicts: dict[FigureName, Verdict],
    relative: dict[tuple[str, FigureName], Relative],
) -> CellResult:
    classifications = [
        one.steady.classification for one in (evidence.completed if evidence else ()) if one.steady
    ]
    figures = {
        figure: _figure(evidence, figure, verdicts[figure], relative.get((cell.id, figure)))
        for figure in figures_of(cell)
        if evidence is not None and figure in verdicts
    }
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
        line=line,
        language=cell.language,
        factors=cell.factors,
        executions=len(evidence.completed) if evidence else 0,
        failed=len(evidence.failed) if evidence else 0,
        steady_state=_steadiness(classifications),
        figures=figures,
        unsupported=cell.unsupported,
        failed_to_build=cell.failed_to_build,
        service=service_result(plan, cell, evidence, verdicts),
        drive=cell.drive,
        peak=peak_result(cell, evidence, figures),
        classification=cell.classification,
        parameters=cell.parameters,
        lines=line_series(evidence, verdicts),
        lines_untold=lines_untold(evidence),
        probed=probed_results(evidence),
        unprobed=evidence.unprobed if evidence is not None else "",
        processor=process_cycles(evidence, verdicts),
    )


def _steadiness(classifications: Sequence[Classification]) -> str | None:
    """The steadiness of all executions: one word if the executions agree, otherwise a text that
    says how they differ."""
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
    # Times and memory are never zero, but samples and shares of the processors' time may be.
    if figure in NAMED and figure not in OF_PROCESSORS:
        values = [value for value in values if value > 0]
    # The median also includes the samples of executions that were ended early.
    value, interval = estimate([*values, *cut_short_values(evidence, figure)], figure)
    # Numbers of bytes are integers. Decimals that come from logarithms were not measured.
    whole = value is not None and unit_of(evidence.cell, figure) in ("bytes", "count")
    return round(value) if whole and value is not None else value, interval


def _geometric_means(
    evidence: RunEvidence, ratios: dict[tuple[str, FigureName], BaselineRatio]
) -> list[GeometricMean]:
    """Geometric means over cells that differ only in benchmark, workload and seed, compared with
    the run's baseline. Means over different workloads cannot be compared. A variant therefore has a
    mean only if it has a figure in every workload in which any variant has a figure."""
    conditions: dict[tuple[object, ...], list[CellEvidence]] = {}
    for one in evidence.programs:
        cell = one.cell
        if cell.peak is not None:
            continue  # frameworks are compared in each test, and by the scores
        driven = cell.drive is not None  # a driven pass is not a whole process
        condition = (cell.mode, cell.size, cell.tier, cell.threads, cell.factors, driven)
        conditions.setdefault(condition, []).append(one)
    return [
        mean
        for cells in conditions.values()
        for figure in _common(cells)
        if figure != "start"
        for mean in _means_of_condition([one.cell for one in cells], figure, evidence, ratios)
    ]


def _common(cells: Sequence[CellEvidence]) -> list[FigureName]:
    """The figures that all these cells have. Percentiles of distributions are left out, because a
    distribution belongs to a single benchmark."""
    return [
        figure
        for figure in figures_of(cells[0].cell)
        if all(figure in figures_of(one.cell) for one in cells)
    ]


def _means_of_condition(
    cells: Sequence[Cell],
    figure: FigureName,
    evidence: RunEvidence,
    ratios: dict[tuple[str, FigureName], BaselineRatio],
) -> Iterator[GeometricMean]:
    wanted = evidence.plan.baseline
    by_variant: dict[str, dict[object, BaselineRatio]] = {}
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
            interval=None if itself else telling(mean.low, mean.high),
            bounds=_mean_bounds([*mine.values()]),
            verdict=worst([one.verdict for one in mine.values()]),
        )


def _mean_bounds(compared: Sequence[BaselineRatio]) -> Bounds | None:
    """The bounds of a mean of ratios, computed from the bounds of some ratios and the intervals of
    the others."""
    if all(one.bounds is None for one in compared):
        return None
    ends = [_ends(one) for one in compared]

    def middle(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None and value > 0]
        return float(np.exp(np.mean(np.log(known)))) if len(known) == len(values) else None

    return middle([low for low, _ in ends]), middle([high for _, high in ends])


def _ends(one: BaselineRatio) -> Bounds:
    """The bounds of a ratio or, if it has none, its interval. If all pairs have the same ratio,
    this ratio is its own bounds. A single pair has no bounds, and neither has a ratio whose
    interval is too wide to be shown."""
    ratio = one.ratio
    same = one.with_itself or (ratio.low is None and ratio.pairs > 1)
    return one.bounds or interval_of(ratio) or ((ratio.value,) * 2 if same else (None, None))


def process_cycles(
    evidence: CellEvidence | None, verdicts: Mapping[FigureName, Verdict]
) -> ProcessCycles | None:
    """The cycles and instructions of a cold cell, whose single iteration is the whole process. In
    other modes the counts include start-up and warm-up. None if the CPU time is void."""
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


RANGE = (2.5, 97.5)  # percentiles between which 95% of the readings lie
MOST_DRIFTING = 500  # the most readings for a drift; the cost grows with their square


def machine_level(evidence: RunEvidence) -> MachineLevelResult | None:
    """The level of the machine over the run; None if there are no readings."""
    level = evidence.level
    if not level.readings:
        return None
    return MachineLevelResult(
        share=_reference_share(evidence),
        levels={kind: found for kind in KINDS if (found := _level_range(level, kind)) is not None},
    )


def _level_range(level: MachineLevel, kind: ReferenceKind) -> LevelRange | None:
    lanes = [members for (_, other, _), members in level.lanes.items() if other == kind]
    readings = [one for members in lanes for one in members]
    if not readings:
        return None
    low, high = np.percentile([level.relative(one) for one in readings], RANGE)
    drifts = [drift for members in lanes if (drift := _level_drift(level, members)) is not None]
    return LevelRange(
        readings=len(readings),
        low=float(low),
        high=float(high),
        drift=max(drifts, key=abs, default=0.0),
    )


def _level_drift(level: MachineLevel, members: Sequence[ReferenceReading]) -> float | None:
    some = members[:: -(-len(members) // MOST_DRIFTING)]
    if len(some) < 2:
        return None
    return drift_along(
        [one.started_monotonic_ns for one in some], [level.relative(one) for one in some]
    )


def _reference_share(evidence: RunEvidence) -> float | None:
    """The reference loop's share of the run's time. The run's time is counted from the first start
    to the last end, separately for each boot."""
    spans: dict[str, list[int]] = {}
    records = [one.record for cell in evidence.cells for one in cell.executions]
    for one in records:
        if one.launch.wall_ns:
            began_ns = one.started_ns
            spans.setdefault(one.boot_id, []).extend((began_ns, began_ns + one.launch.wall_ns))
    for reading in evidence.level.readings:
        spans.setdefault(reading.boot_id, []).append(reading.ended_monotonic_ns)
    whole_ns = sum(max(instants) - min(instants) for instants in spans.values())
    taken_ns = sum(one.took_ns for one in evidence.level.readings)
    return taken_ns / whole_ns if whole_ns else None
