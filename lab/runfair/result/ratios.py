"""The ratio of the figures of two cells, and the bounds of this ratio under doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, inf
from typing import Literal

import numpy as np

from runfair.evidence.cell import CellEvidence
from runfair.evidence.hosts import noise_floor
from runfair.evidence.machine_level import CLOCKS
from runfair.evidence.run import RunEvidence
from runfair.fairness.bounds import execution_limits
from runfair.fairness.figures import (
    OF_PROCESSORS,
    cell_values,
    centre,
    cut_short_values,
    figures_of,
    interval,
    values_by_execution,
)
from runfair.formats.finding import FigureName, Verdict, VerdictState, worst
from runfair.formats.host import Host
from runfair.formats.plan import Cell
from runfair.formats.result import (
    Bounds,
    Interval,
    Relative,
)
from runfair.statistics.change import Doubt, p_difference
from runfair.statistics.comparison import Ratio, holm, paired_ratio, welch_ratio
from runfair.statistics.host_effect import HostPairs, between_hosts
from runfair.statistics.log_interval import telling

Values = Mapping[str, float]
Method = Literal["paired", "welch"]


@dataclass(frozen=True)
class BaselineRatio:
    """The ratio of a cell's figure to the baseline of its group."""

    cell: str
    figure: FigureName
    baseline: Cell
    ratio: Ratio
    verdict: VerdictState
    doubt: Doubt | None = None

    @property
    def bounds(self) -> Bounds | None:
        return None if self.doubt is None else self.doubt.bounds

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
                if figure in OF_PROCESSORS or figure not in verdicts[baseline.cell.id]:
                    continue
                state = worst([verdicts[each.cell.id][figure].state for each in (one, baseline)])
                if state == "void":
                    continue
                ours, theirs = (
                    Side(each, figure, verdicts[each.cell.id][figure]) for each in (one, baseline)
                )
                ratio = measured_ratio(ours, theirs, "paired")
                if ratio is not None:
                    doubt = None if one is baseline else ratio_doubt(ours, theirs, "paired")
                    compared.append(
                        BaselineRatio(one.cell.id, figure, baseline.cell, ratio, state, doubt)
                    )
    return compared


@dataclass(frozen=True)
class Side:
    """A figure of a cell, with its verdict."""

    cell: CellEvidence
    figure: FigureName
    verdict: Verdict

    @property
    def values(self) -> Values:
        """The values of the executions, by the executions' ids."""
        return values_by_execution(self.cell, self.figure)

    def limits(self, end: Literal[0, 1]) -> Values | None:
        """The lower (0) or upper (1) limit of each execution's true value; None if an execution has
        no limit."""
        found = execution_limits(self.cell, self.figure, self.verdict.findings)
        if found is None:
            return self.values
        told = {name: one[end] for name, one in found.items()}
        known = {name: one for name, one in told.items() if one is not None and 0 < one < inf}
        return known if len(known) == len(told) else None

    @property
    def ends(self) -> Bounds:
        """The bounds of the figure or, if it has none, its confidence interval. Equal values have
        no interval, and are their own bounds. A single value has no bounds, and neither have values
        whose interval is too wide to be shown."""
        if self.verdict.bounds is not None:
            return self.verdict.bounds
        values = cell_values(self.cell, self.figure)
        value, limits = estimate(values, self.figure)
        same = len(values) > 1 and len(set(values)) == 1
        return limits or ((value, value) if same else (None, None))


def estimate(values: Sequence[float], figure: FigureName) -> tuple[float | None, Interval | None]:
    """The centre of the executions' values, with its confidence interval."""
    if not values:
        return None, None
    if min(values) <= 0 and figure not in OF_PROCESSORS:
        return float(np.median(values)), None
    middle = centre(values, figure)
    return middle.value, interval(middle)


def measured_ratio(one: Side, baseline: Side, method: Method) -> Ratio | None:
    """The ratio of two cells. The method `paired` is for cells of one run. It pairs executions of
    the same half-block: in each block, the random order gives one pair, and the reverse order gives
    another pair. The method `welch` is for cells of two runs. The result is None if no half-block
    has both cells, or if one of the cells has only bounds."""
    if any(cut_short_values(side.cell, side.figure) for side in (one, baseline)):
        return None
    return _ratio(one.cell, one.values, baseline.cell, baseline.values, method)


def why_no_ratio(one: Side, baseline: Side) -> str:
    """The reason why two cells have no `measured_ratio` although neither figure is void."""
    if any(cut_short_values(side.cell, side.figure) for side in (one, baseline)):
        return "an execution ended before all its samples were recorded, so only bounds are known"
    if not one.values or not baseline.values:
        return "no execution has this value"
    if min(*one.values.values(), *baseline.values.values()) <= 0:
        return "a measured value is 0, and with a 0 there is no ratio"
    return "no two executions form a pair, because no half-block has both on the same host"


def ratio_bounds(one: Side, baseline: Side) -> Bounds | None:
    """The bounds of a ratio if either side has bounds: the least value of the first side divided by
    the greatest value of the second side, and the greatest value divided by the least. None if
    neither side has bounds."""
    if one.verdict.bounds is None and baseline.verdict.bounds is None:
        return None
    (least, most), (least_base, most_base) = one.ends, baseline.ends
    return (
        least / most_base if least is not None and most_base else None,
        most / least_base if most is not None and least_base else None,
    )


def ratio_doubt(one: Side, baseline: Side, method: Method) -> Doubt | None:
    """The ratio under doubts: its bounds, and its smallest and largest value if each execution's
    value is at a limit. None if neither side has bounds."""
    bounds = ratio_bounds(one, baseline)
    if bounds is None:
        return None

    def at(end: Literal[0, 1]) -> Ratio | None:
        ours, theirs = one.limits(end), baseline.limits(0 if end else 1)
        if ours is None or theirs is None:
            return None
        return _ratio(one.cell, ours, baseline.cell, theirs, method)

    return Doubt(bounds, least=at(0), most=at(1))


def _ratio(
    one: CellEvidence, ours: Values, baseline: CellEvidence, theirs: Values, method: Method
) -> Ratio | None:
    """The ratio of the values of two sides; None if there are no executions to compare, or if a
    value is 0. Without the values of 0, the ratio would describe only the other executions."""
    before, after = [*theirs.values()], [*ours.values()]
    if not before or not after or min(*before, *after) <= 0:
        return None
    if method == "welch":
        return unpaired_ratio(_by_host(one, ours), _by_host(baseline, theirs))
    first, second = _by_half_block(one, ours), _by_half_block(baseline, theirs)
    by_host: dict[str, list[HalfBlock]] = {}
    for key in sorted(first.keys() & second.keys()):
        host = one.half_blocks[key].record.host
        # Two machines differ by more than most programs do, so a pair of executions on two machines
        # would compare the machines.
        if host == baseline.half_blocks[key].record.host:
            by_host.setdefault(host, []).append(key)
    pairs = {
        host: HostPairs([first[key] for key in keys], [second[key] for key in keys])
        for host, keys in by_host.items()
    }
    if len(pairs) > 1:
        return between_hosts(pairs)
    for alone in pairs.values():
        return paired_ratio(alone.variant, alone.baseline)
    return None


def _by_host(cell: CellEvidence, values: Values) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for each in cell.completed:
        if each.record.id in values:
            found.setdefault(each.record.host, []).append(values[each.record.id])
    return found


def unpaired_ratio(
    ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]
) -> Ratio | None:
    """The ratio of two runs, from the values of each host. All values of a host share its speed, so
    in runs over several hosts each host counts as a single value. If both runs used the same hosts,
    the speeds of the hosts cancel. A run on a single host, compared with a run on several hosts,
    has no interval: it does not show how much hosts differ."""
    if len(ours) == len(theirs) == 1:
        (after,), (before,) = ours.values(), theirs.values()
        return welch_ratio(after, before)
    means, base = (
        {host: float(np.exp(np.mean(np.log(values)))) for host, values in side.items()}
        for side in (ours, theirs)
    )
    if means.keys() == base.keys():
        return between_hosts({host: HostPairs([means[host]], [base[host]]) for host in means})
    return welch_ratio([*means.values()], [*base.values()])


def unpaired_arrangements(one: Side, baseline: Side) -> int:
    """The number of orders of the values of two runs that are equally likely if nothing changed. As
    in `unpaired_ratio`, the values are those of executions or, over several hosts, of hosts."""
    ours, theirs = (_by_host(side.cell, side.values) for side in (one, baseline))
    if len(ours) == len(theirs) == 1:
        (after,), (before,) = ours.values(), theirs.values()
        return comb(len(after) + len(before), len(after))
    if ours.keys() == theirs.keys():
        return 1 << len(ours)
    return comb(len(ours) + len(theirs), len(ours))


HalfBlock = tuple[int, int]


def _by_half_block(cell: CellEvidence, values: Values) -> dict[HalfBlock, float]:
    """The values by half-block. A block is used only if both its random order and its reverse order
    were executed."""
    places = cell.half_blocks
    return {
        (block, half): values[one.record.id]
        for (block, half), one in places.items()
        if (block, 1) in places and one.record.id in values
    }


def shown_ratios(
    evidence: RunEvidence, compared: Sequence[BaselineRatio]
) -> dict[tuple[str, FigureName], Relative]:
    """The ratios in the form in which they are shown. For each figure of a table, p values are
    corrected over the rows."""
    groups = {one.cell.id: one.cell.group for one in evidence.cells}
    tables: dict[object, list[BaselineRatio]] = {}
    for one in compared:
        tables.setdefault((groups[one.cell], one.figure), []).append(one)
    cells = {one.cell.id: one for one in evidence.cells}
    relative: dict[tuple[str, FigureName], Relative] = {}
    for members in tables.values():
        others = [one for one in members if not one.with_itself]
        adjusted = dict(
            zip(
                [one.cell for one in others],
                holm([p_difference(one.ratio, one.doubt) for one in others]),
                strict=True,
            )
        )
        for one in members:
            hosts = evidence.hosts_of(cells[one.cell], cells[one.baseline.id])
            floor = _noise_floor(hosts, one.figure)
            relative[one.cell, one.figure] = Relative(
                baseline=one.baseline.variant,
                value=one.ratio.value,
                interval=interval_of(one.ratio) if one.cell in adjusted else None,
                on_these_hosts=_on_these_hosts(one.ratio) if one.cell in adjusted else None,
                bounds=one.bounds,
                p=adjusted.get(one.cell),
                within_noise_floor=one.cell in adjusted
                and floor is not None
                and one.ratio.within_noise_floor(floor),
            )
    return relative


def interval_of(ratio: Ratio) -> Interval | None:
    """The 95% interval of a ratio; None if the ratio has no interval, or if the interval is too
    wide to be useful."""
    return telling(ratio.low, ratio.high)


def _on_these_hosts(ratio: Ratio) -> Interval | None:
    """As `interval_of`, for the interval that is valid only for the hosts that measured it."""
    return telling(*(ratio.on_these_hosts or (None, None)))


def _noise_floor(hosts: Sequence[Host], figure: FigureName) -> float | None:
    """The greatest noise floor of the hosts that measured a ratio; None if it is unknown."""
    clock = next((one for one in CLOCKS if one == figure), None)
    if clock is None or not any(one.calibration for one in hosts):
        return None
    return noise_floor(hosts, clock)
