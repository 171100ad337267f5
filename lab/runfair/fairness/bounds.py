"""The bounds of a figure, if a doubt about it has a direction.

Each execution's value gets a lower and an upper limit. The limits are computed from the execution's
single requests or iterations if they were recorded. The bounds reach from the lower end of the
confidence interval of the lower limits to the upper end of the confidence interval of the upper
limits. docs/statistics.md, "Bounds", has the derivations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, prod

import numpy as np
import numpy.typing as npt

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.load import LEVEL_TOLERANCE
from runfair.evidence.loss import delay_ns
from runfair.fairness.figures import (
    LATENCIES,
    PERCENTILES,
    TIMES,
    better_of,
    centre,
    cut_short_values,
    execution_value,
)
from runfair.formats.finding import Effect, FigureName, Finding
from runfair.formats.histogram import Histogram
from runfair.formats.result import Bounds
from runfair.formats.service import SHARES
from runfair.statistics.partial_identification import bracket, least_median
from runfair.statistics.percentile import ranks

FloatArray = npt.NDArray[np.floating | np.integer]
WARM_UP = "warm_up"
# A function that computes, from an execution's own records, the least and the greatest possible
# true value under the doubt of a check. A value is None if that side has no limit.
ExecutionBounds = Callable[[ExecutionEvidence, FigureName], Bounds]
Sides = tuple[bool, bool]  # whether the lower side is open, and the upper side
CLOSED: Sides = (False, False)


def bounds(cell: CellEvidence, figure: FigureName, findings: Sequence[Finding]) -> Bounds | None:
    """The bounds of a figure with these findings. The result is None if no doubt has a direction.
    The result is (None, None) if the figure has neither a lower nor an upper bound."""
    found = execution_limits(cell, figure, findings)
    cut_short = cut_short_values(cell, figure)
    if found is None and not cut_short:
        return None
    if found is None:
        values = (execution_value(one, figure) for one in cell.completed)
        found = {str(place): (one, one) for place, one in enumerate(values) if one is not None}
    at_least = better_of(cell.cell, figure) == "lower"
    beyond: list[Bounds] = [(one, None) if at_least else (None, one) for one in cut_short]
    return ends([*found.values(), *beyond], figure)


def execution_limits(
    cell: CellEvidence, figure: FigureName, findings: Sequence[Finding]
) -> dict[str, Bounds] | None:
    """The limits of each completed execution's value, by the execution's id. An execution without a
    value is left out. The result is None if no doubt moves a limit."""
    doubts = [one for one in findings if one.effect is not None and reaches(one)]
    if not doubts:
        return None
    found: dict[str, Bounds] = {}
    moved = False
    open_end = _course(cell, figure) if any(one.check == WARM_UP for one in doubts) else None
    for one in cell.completed:
        value = execution_value(one, figure)
        if value is not None:
            lower, upper = _parts(one, figure, doubts, open_end)
            moved = moved or bool(lower or upper)
            found[one.record.id] = (_limit(value, lower, np.fmin), _limit(value, upper, np.fmax))
    return found if moved else None


def is_bounded(cell: CellEvidence, figure: FigureName, finding: Finding) -> bool:
    """Whether the bounds contain a warning's whole effect on the figure. They do if the size of the
    effect is known, or if each affected execution has a limit on every side that the effect may
    move."""
    return finding.effect is not None and open_sides(cell, figure, [finding]) == CLOSED


def open_sides(cell: CellEvidence, figure: FigureName, findings: Sequence[Finding]) -> Sides:
    """Whether a warning may have moved the figure's lower limit, and its upper limit, by an unknown
    amount. Such a warning does not change the bounds, but it could change a decision."""
    sides = [_open(cell, figure, one) for one in findings if one.severity == "warning"]
    return any(below for below, _ in sides), any(above for _, above in sides)


def _open(cell: CellEvidence, figure: FigureName, finding: Finding) -> Sides:
    if finding.size is not None:
        return CLOSED
    below, above = finding.effect in ("longer", "either"), finding.effect in ("shorter", "either")
    tell = EXECUTION_BOUNDS.get(finding.check)
    if tell is None:
        return below, above
    affected = [one for one in cell.completed if finding.check != WARM_UP or not _shown_steady(one)]
    limits = [tell(one, figure) for one in affected]
    return (
        below and any(low is None for low, _ in limits),
        above and any(high is None for _, high in limits),
    )


def ends(limits: Sequence[Bounds], figure: FigureName) -> Bounds:
    """The confidence interval over executions with these limits, from its lowest to its highest
    possible end."""
    lows, highs = [low for low, _ in limits], [high for _, high in limits]
    return _end(lows, figure, upper=False), _end(highs, figure, upper=True)


def reaches(finding: Finding) -> bool:
    """Whether a finding moves the bounds. A limitation never moves them. A warning moves them if
    its size is known, or if each execution's records give a limit."""
    return finding.severity == "fault" or (
        finding.severity == "warning"
        and (finding.size is not None or finding.check in EXECUTION_BOUNDS)
    )


@dataclass(frozen=True)
class _Part:
    """A doubt's effect on a limit: a share of the value, or the limit itself."""

    size: float | None
    limit: float | None


def _parts(
    one: ExecutionEvidence,
    figure: FigureName,
    doubts: Sequence[Finding],
    open_end: Effect | None,
) -> tuple[list[_Part], list[_Part]]:
    """The effects of the doubts on an execution's lower limit, and on its upper limit. `open_end`
    is the direction in which the cell's levels still changed at the end of the executions. In this
    direction, the levels give no limit."""
    lower: list[_Part] = []
    upper: list[_Part] = []
    for doubt in doubts:
        tell = EXECUTION_BOUNDS.get(doubt.check)
        low, high = (None, None) if tell is None else tell(one, figure)
        open_below = open_above = False
        if doubt.check == WARM_UP and not _shown_steady(one):
            open_below, open_above = open_end == "longer", open_end == "shorter"
        # A fault without a limit opens its side. A warning without a limit is too small to move it.
        moves = doubt.size is not None or doubt.severity == "fault"
        if doubt.effect in ("longer", "either") and (moves or open_below or low is not None):
            lower.append(_Part(doubt.size, None if open_below else low))
        if doubt.effect in ("shorter", "either") and (moves or open_above or high is not None):
            upper.append(_Part(doubt.size, None if open_above else high))
    return lower, upper


def _limit(value: float, parts: Sequence[_Part], worse: np.ufunc) -> float | None:
    """The value, lowered (or raised) by all effects with a known share. If a limit from the
    execution's records is further away, that limit is returned. Limits from the records are not
    added up."""
    told = [one.limit for one in parts if one.size is None]
    if any(one is None for one in told):
        return None
    kept = prod(1 - one.size for one in parts if one.size is not None)
    start = value
    for one in told:
        start = float(worse(start, one))
    return start * kept if worse is np.fmin else (start / kept if kept else None)


def _end(limits: Sequence[float | None], figure: FigureName, *, upper: bool) -> float | None:
    """The outer end of the confidence interval over executions, even if this interval is too wide
    to be shown by itself. Without an interval, the end of the limits themselves."""
    known = [one for one in limits if one is not None]
    if not limits or len(known) < len(limits):
        return None
    if min(known) <= 0:
        return max(known) if upper else None
    middle = centre(known, figure)
    if middle.low is None or middle.high is None:
        return max(known) if upper else min(known)
    end = middle.high if upper else middle.low
    return None if np.isinf(end) else end


def _without_own_lateness(one: ExecutionEvidence, figure: FigureName) -> Bounds:
    """The percentile after subtracting from each request the greatest lag of its busy period. The
    generator's own lateness cannot have added more than this lag, either directly or to requests
    that waited behind a late request."""
    if one.load is None or one.load.least is None or figure not in PERCENTILES:
        return None, None
    low = one.load.least.value_at(_share(figure))
    return (None if low is None else float(low)), None


def _with_failures(one: ExecutionEvidence, figure: FigureName) -> Bounds:
    """Two limits of the percentile: with failed requests counted as the fastest, and with failed
    requests counted as never answered."""
    if one.load is None:
        return None, None
    if figure == "max":
        greatest = one.load.latency.max
        return (None if greatest is None else float(greatest)), None
    if figure not in PERCENTILES:
        return None, None
    load, unseen = one.load, ceil(one.load.steady_unseen)
    return bracket(load.latency, load.steady_failures, _share(figure), load.given_up, unseen)


def _with_few_requests(one: ExecutionEvidence, figure: FigureName) -> Bounds:
    """The distribution-free lower limit of the percentile. There is no upper limit, because it
    would lie beyond the largest value of the sample."""
    if one.load is None or figure not in PERCENTILES or not one.load.latency.total:
        return None, None
    low = ranks(_share(figure), one.load.latency.total).low
    if low is None:
        return None, None
    return float(one.load.latency.value_at_rank(low)), None


def _without_interruptions(one: ExecutionEvidence, figure: FigureName) -> Bounds:
    """The value without the time that the execution lost to other processes. A part of a cold
    execution cannot have lost more than the whole."""
    lost_ns = _lost_ns(one)
    if lost_ns is None:
        return None, None
    if one.mode == "cold" and figure in ("wall", "start", "first", "work"):
        value = execution_value(one, figure)
        if value is None:
            return None, None
        # The lost time may be too long, so this limit may be too low. The process's CPU time gives
        # a second limit.
        whole = figure == "wall" and not one.record.driven
        launch = one.record.launch
        own_ns = launch.cpu_ns - (launch.steal_ns or 0)
        least_ns = own_ns / max(1, len(one.record.processors)) if whole else 0.0
        return min(value, max(least_ns, value - lost_ns)), None
    if figure == "wall":
        wall_ns = one.wall_ns[one.steady_part]
        return _least_of_parts(one, wall_ns, wall_ns, lost_ns), None
    if figure in LATENCIES:
        return _least_latency(one, figure, lost_ns), None
    return _least_sampled(one, figure, lost_ns), None


def _least_latency(one: ExecutionEvidence, figure: FigureName, lost_ns: int) -> float | None:
    """The percentile if every request lost the whole lost time: several requests may have waited
    for the same CPU time of another process. None if a request may have lost its whole latency, or
    if the service runs on several hosts, each of which has a lost time of its own."""
    value = execution_value(one, figure)
    several = one.cell.factors.hosts > 1
    return None if several or value is None or value <= lost_ns else value - lost_ns


def _least_sampled(one: ExecutionEvidence, figure: FigureName, lost_ns: int) -> float | None:
    """The least median of the times of a distribution that has a sample of each iteration, per
    1,000 operations. None for any other distribution: other processes may have delayed several of
    its samples at the same time."""
    name, _, share = figure.partition(".")
    declared = one.cell.distributions.get(name)
    samples = one.singles.get(name)
    thousands = (one.cell.operations or {}).get(declared.per_thousand, 0) / 1000 if declared else 0
    wall_ns = one.wall_ns[one.steady_part]
    if samples is None or share != "p50" or not thousands or len(samples) != len(wall_ns):
        return None
    parts_ns = samples * thousands
    # More time than the iterations took: the samples are not what the benchmark declares.
    if parts_ns.sum() > wall_ns.sum():
        return None
    least_ns = _least_of_parts(one, parts_ns, wall_ns, lost_ns)
    return None if least_ns is None else least_ns / thousands


def _least_of_parts(
    one: ExecutionEvidence, parts_ns: FloatArray, wall_ns: FloatArray, lost_ns: int
) -> float | None:
    """The least median of the times of parts of the iterations, which lost at most `lost_ns`
    together. The CPU time of an iteration gives a second limit: P processors need at least the
    share 1/P of it, and the rest of the iteration did not take longer than measured. Some kernels
    count steal time as CPU time, so the steal time is subtracted from the CPU times."""
    least_ns = least_median(parts_ns, lost_ns)
    resolution_ns, cpu_ns = one.cpu_resolution_ns, one.cpu_ns[one.steady_part]
    processors = max(1, len(one.record.processors))
    if least_ns is None or resolution_ns is None or len(cpu_ns) != len(parts_ns):
        return least_ns
    by_cpu_ns = (cpu_ns - resolution_ns) / processors - (wall_ns - parts_ns)
    by_cpu = least_median(np.maximum(0, by_cpu_ns), one.record.launch.steal_ns or 0)
    return least_ns if by_cpu is None else max(least_ns, by_cpu)


def _lost_ns(one: ExecutionEvidence) -> int | None:
    """The most time in ns that an execution can have lost to other processes: the time that they
    used on its processors or, if only they can have caused it, the run-queue delay. None if neither
    is known. A time that the kernel counted in ticks is not used, because ticks are too coarse."""
    launch = one.record.launch
    known = []
    if launch.foreign_ns is not None and launch.foreign_source != "stat":
        known.append(launch.foreign_ns)
    queued_ns = delay_ns(one.cell, launch)
    if queued_ns is not None:
        known.append(queued_ns)
    return min(known) + (launch.steal_ns or 0) if known else None


def _between_levels(one: ExecutionEvidence, figure: FigureName) -> Bounds:
    """The range of the levels in the last half of an execution that is not shown to be steady."""
    levels = [] if _shown_steady(one) else _levels(one, figure)
    return (min(levels), max(levels)) if levels else (None, None)


def _shown_steady(one: ExecutionEvidence) -> bool:
    return one.steady is not None and one.steady.start is not None


def _levels(one: ExecutionEvidence, figure: FigureName) -> list[float]:
    """The levels in order, each computed by the figure's own statistic (for example the median).
    The result is empty if there are fewer than two levels."""
    found: list[float] = []
    # The noise of so few iterations is unknown.
    too_few = _is_noisy(one) and one.steady is not None and one.steady.hidden_change is None
    if one.load is not None and figure == "cpu":
        found = [level.cpu_ns for level in one.load.levels if level.cpu_ns is not None]
    elif one.load is not None and figure in LATENCIES:
        found = [float(_value(level.latency, figure)) for level in one.load.levels]
    elif one.steady is not None and figure in TIMES and not too_few:
        found = [
            float(
                np.median(one.wall_ns[start:end])
                if figure == "wall"
                else np.mean(one.cpu_ns[start:end])
            )
            for start, end in one.steady.last_levels()
        ]
    return found if len(found) > 1 else []


def _course(cell: CellEvidence, figure: FigureName) -> Effect | None:
    """The direction in which a cell's doubt has no limit. The direction is `longer` if most
    executions still became faster at the end, because they might have become faster still;
    `shorter` if most still became slower. If only a few executions change, the change may be
    chance. If noise could hide a change in a program, the halves of its executions differ by
    chance, so all executions must change in the same direction."""
    unsteady = [one for one in cell.completed if not _shown_steady(one)]
    shown = [_direction(_course_levels(one, figure)) for one in unsteady if not _is_noisy(one)]
    all_of = [_direction(_course_levels(one, figure)) for one in unsteady]
    for direction in ("longer", "shorter"):
        same = all_of.count(direction) == len(cell.completed)
        if same or shown.count(direction) > len(cell.completed) / 2:
            return direction
    return None


def _direction(levels: Sequence[float]) -> Effect | None:
    """The direction of the doubt if each level is lower, or higher, than the one before."""
    steps = [after - before for before, after in pairwise(levels)]
    if steps and all(step < 0 for step in steps):
        return "longer"
    return "shorter" if steps and all(step > 0 for step in steps) else None


def _is_noisy(one: ExecutionEvidence) -> bool:
    """Whether noise could hide a change in a program's iterations."""
    noisy = one.steady is not None and one.steady.classification == "too short"
    return noisy and one.load is None


def _course_levels(one: ExecutionEvidence, figure: FigureName) -> list[float]:
    """The levels whose order shows a direction. The levels of a service's latencies are medians.
    Levels of a load that differ by less than the detector's tolerance have no direction: the halves
    of a load differ by chance."""
    if one.load is None:
        return _levels(one, figure)
    found = _levels(one, "cpu" if figure == "cpu" else "p50")
    if not found or abs(found[-1] - found[0]) <= LEVEL_TOLERANCE * found[0]:
        return []
    return found


def _value(latency: Histogram, figure: FigureName) -> int:
    share = 1.0 if figure == "max" else _share(figure)
    return latency.value_at(share) or 0


def _share(figure: FigureName) -> float:
    return SHARES[next(name for name in PERCENTILES if name == figure)]


EXECUTION_BOUNDS: dict[str, ExecutionBounds] = {
    "generator_delay": _without_own_lateness,
    "errors": _with_failures,
    "few_requests": _with_few_requests,
    "foreign_time": _without_interruptions,
    "wall_over_cpu": _without_interruptions,
    WARM_UP: _between_levels,
}
