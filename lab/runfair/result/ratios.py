"""A figure of two cells of one run: their ratio, paired on half-blocks, and its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import (
    cell_values,
    centre,
    cut_short_values,
    execution_value,
    figures_of,
)
from runfair.formats.finding import FigureName, Verdict, VerdictState, worst
from runfair.formats.plan import Cell
from runfair.formats.result import (
    Bounds,
    Interval,
    Relative,
)
from runfair.statistics.comparison import Ratio, holm, paired_ratio


@dataclass(frozen=True)
class BaselineRatio:
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


def baseline_ratios(
    evidence: RunEvidence, verdicts: dict[str, dict[FigureName, Verdict]]
) -> list[BaselineRatio]:
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
                        BaselineRatio(one.cell.id, figure, baseline.cell, ratio, state, bounds)
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
    value, interval = estimate(cell_values(evidence, figure), figure)
    return interval or (value, value)


def estimate(values: Sequence[float], figure: FigureName) -> tuple[float | None, Interval | None]:
    """The middle of the executions' values, with its interval."""
    if not values:
        return None, None
    if min(values) <= 0:
        return float(np.median(values)), None
    middle = centre(values, figure)
    if middle.low is None or middle.high is None:
        return middle.value, None
    return middle.value, (middle.low, middle.high)


def compare(one: CellEvidence, baseline: CellEvidence, figure: FigureName) -> Ratio | None:
    """The ratio of two cells of a run, paired on half-blocks: the order is one pair, its mirror
    another. None where no half-block has both, or where one of them has but a bound."""
    if cut_short_values(one, figure) or cut_short_values(baseline, figure):
        return None
    ours, theirs = _values(one, figure), _values(baseline, figure)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return None
    return paired_ratio([ours[key] for key in shared], [theirs[key] for key in shared])


def _values(cell: CellEvidence, figure: FigureName) -> dict[tuple[int, int], float]:
    """Positive values by half-block, of blocks whose order and mirror were both carried out."""
    values = {place: execution_value(one, figure) for place, one in cell.half_blocks.items()}
    return {
        (block, half): value
        for (block, half), value in values.items()
        if (block, 1) in values and value is not None and value > 0
    }


def shown_ratios(
    evidence: RunEvidence, compared: Sequence[BaselineRatio]
) -> dict[tuple[str, FigureName], Relative]:
    """Ratios as they are shown; statements of difference are corrected over each table's figure."""
    groups = {one.cell.id: one.cell.group for one in evidence.cells}
    tables: dict[object, list[BaselineRatio]] = {}
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
