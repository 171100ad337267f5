"""The comparison of two variants of a run, or of two runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb

from runfair.errors import UserMistake
from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import Group, RunEvidence
from runfair.fairness.checks.calibration import VOID_DRIFT
from runfair.fairness.figures import (
    ELAPSED,
    SAMPLED,
    SHOWN,
    TIMED,
    better_of,
    cell_values,
    figures_of,
    those_of,
)
from runfair.fairness.verdict import judge
from runfair.formats.comparison import ComparedFigure, Comparison
from runfair.formats.distribution import Better
from runfair.formats.finding import FigureName, Verdict, VerdictState, worst
from runfair.formats.host import Host
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import spoken
from runfair.result.ratios import (
    Side,
    interval_of,
    measured_ratio,
    ratio_doubt,
    unpaired_arrangements,
    why_no_ratio,
)
from runfair.result.run_differences import differences, one_machine, same_work
from runfair.statistics.change import Compared, Doubt, changes, p_difference
from runfair.statistics.comparison import Ratio, holm
from runfair.statistics.noise_floor import drift_between
from runfair.wording import quantity
from runfair.wording.naming import connections_text, surroundings

Verdicts = dict[str, dict[FigureName, Verdict]]
Hosts = Sequence[Host]

THRESHOLD = 0.03
"""The default limit (a proposal). With this limit and six executions on each side, an unchanged
program hardly ever shows a regression (docs/statistics.md, "Changes")."""

SHOWN_OF_SERVICES: tuple[FigureName, ...] = ("p50", "p99", "cpu", "memory")


@dataclass(frozen=True)
class _Pair:
    """A figure of a cell on both sides, before p values are corrected over all figures. `reason` is
    used only if there is no ratio."""

    cell: str
    figure: FigureName
    better: Better
    ratio: Ratio | None
    arrangements: int
    limit: float
    verdict: VerdictState
    reason: str = ""
    doubt: Doubt | None = None


def between_variants(
    run: RunEvidence,
    first: str,
    second: str,
    *,
    threshold: float = THRESHOLD,
    figures: Collection[FigureName] = (),
) -> Comparison:
    """The comparison of the variant `second` with the variant `first`, paired on half-blocks, in
    every comparison group that has both. The comparison covers the named figures or, if none are
    named, the figures that tables show. A service can also be given by its own name."""
    for name in (first, second):
        if all(name not in _names(one.cell) for one in run.cells):
            known = ", ".join(sorted({each for one in run.cells for each in _names(one.cell)}))
            raise UserMistake(f"the run did not measure {name!r}; it measured {known}")
    verdicts = _verdicts(run)
    pairs = []
    paired: set[str] = set()
    for group in run.groups():
        for ours, theirs in _counterparts(group, first, second):
            paired |= {ours.cell.id, theirs.cell.id}
            for figure in _figures(ours.cell, figures):
                state = _worst(verdicts, verdicts, ours, theirs, figure)
                sides = (
                    Side(theirs, figure, verdicts[theirs.cell.id][figure]),
                    Side(ours, figure, verdicts[ours.cell.id][figure]),
                )
                ratio = None if state == "void" else measured_ratio(*sides, "paired")
                pairs.append(
                    _Pair(
                        _name(run.plan, ours.cell),
                        figure,
                        better_of(ours.cell, figure),
                        ratio,
                        _paired_arrangements(ours, theirs, figure, ratio.pairs if ratio else 0),
                        _limit(ours.cell, figure, threshold, run.hosts_of(ours, theirs)),
                        state,
                        "the measured value is void (not valid) in this run; the run's report "
                        "gives the reason"
                        if state == "void"
                        else why_no_ratio(*sides),
                        ratio_doubt(*sides, "paired"),
                    )
                )
    return Comparison(
        of="variants",
        first=first,
        second=second,
        one_machine=True,
        threshold=threshold,
        figures=_compared(pairs),
        only_first=_without_counterpart(run, first, second, paired),
        only_second=_without_counterpart(run, second, first, paired),
    )


def _without_counterpart(
    run: RunEvidence, name: str, other: str, paired: Collection[str]
) -> list[str]:
    """The measured cells of the variant `name` that are compared with nothing, because the planned
    cells of the variant `other` could not be measured. Workloads that the programs of `other` are
    declared to lack are left out: nothing of them could become worse."""
    measured = {one.cell.id for one in run.cells}
    groups: dict[Group, list[Cell]] = {}
    for cell in run.plan.cells:
        groups.setdefault(cell.group, []).append(cell)
    return list(
        dict.fromkeys(
            ours.id
            for cells in groups.values()
            for ours, theirs in _planned_counterparts(cells, name, other)
            if ours.id in measured and ours.id not in paired and theirs.id not in measured
            if not theirs.declared_absent
        )
    )


def between_runs(
    first: RunEvidence,
    second: RunEvidence,
    *,
    names: tuple[str, str] = ("the first run", "the second run"),
    threshold: float = THRESHOLD,
    figures: Collection[FigureName] = (),
) -> Comparison:
    """The comparison of the cells that both runs have. Each cell of the second run is compared with
    the same cell of the first run, by Welch's test.

    Executions of two runs cannot be paired, so a change of the machine appears as a difference.
    Times are therefore flagged. Times are void if the reference loop's speed differs by more than
    2% between the two runs, or if a run has no calibration. The allowed change includes this
    difference in speed.
    """
    before, after = _verdicts(first), _verdicts(second)
    cells = {one.cell.id: one for one in first.cells}
    shared = [(cells[one.cell.id], one) for one in second.cells if one.cell.id in cells]
    if not shared:
        raise UserMistake(
            "the runs cannot be compared, because they measured nothing under the same "
            "conditions (program, size, variant and so on); choose two runs of the same experiment"
        )
    pairs = []
    for ours, theirs in shared:
        hosts = (first.hosts_of(ours), second.hosts_of(theirs))
        for figure in _figures(ours.cell, figures):
            if figure not in after[theirs.cell.id]:
                continue
            state = _worst(before, after, ours, theirs, figure)
            reason = (
                (
                    "the measured value is void (not valid) in one of the runs; the runs' reports "
                    "give the reason"
                )
                if state == "void"
                else ""
            )
            if not same_work(ours.cell, theirs.cell):
                state, reason = "void", "the program did not do the same work in the two runs"
            elif state != "void" and figure in those_of(ours.cell, TIMED):
                speed, reason = _speed(*hosts)
                state = worst([state, speed])
            sides = (
                Side(theirs, figure, after[theirs.cell.id][figure]),
                Side(ours, figure, before[ours.cell.id][figure]),
            )
            pairs.append(
                _Pair(
                    ours.cell.id,
                    figure,
                    better_of(ours.cell, figure),
                    None if state == "void" else measured_ratio(*sides, "welch"),
                    unpaired_arrangements(*sides),
                    _limit_between(ours.cell, figure, threshold, *hosts),
                    state,
                    reason or why_no_ratio(*sides),
                    ratio_doubt(*sides, "welch"),
                )
            )
    known = {theirs.cell.id for _, theirs in shared}
    return Comparison(
        of="runs",
        first=names[0],
        second=names[1],
        one_machine=one_machine(first.hosts, second.hosts),
        threshold=threshold,
        differences=differences(first, second),
        figures=_compared(pairs),
        only_first=[name for name in cells if name not in known],
        only_second=[one.cell.id for one in second.cells if one.cell.id not in known],
    )


def _compared(pairs: Sequence[_Pair]) -> list[ComparedFigure]:
    stated = holm([p_difference(pair.ratio, pair.doubt) if pair.ratio else None for pair in pairs])
    told = iter(
        changes(
            [
                Compared(pair.ratio, pair.limit, pair.arrangements, pair.better, pair.doubt)
                for pair in pairs
                if pair.ratio is not None
            ]
        )
    )
    return [
        ComparedFigure(
            cell=pair.cell,
            figure=pair.figure,
            value=pair.ratio.value if pair.ratio else None,
            interval=interval_of(pair.ratio) if pair.ratio else None,
            bounds=pair.doubt.bounds if pair.ratio and pair.doubt else None,
            p=p,
            limit=pair.limit,
            outcome=next(told)
            if pair.ratio
            else "void"
            if pair.verdict == "void"
            else "not measured",
            verdict=pair.verdict,
            reason="" if pair.ratio else pair.reason,
        )
        for pair, p in zip(pairs, stated, strict=True)
    ]


def _figures(cell: Cell, named: Collection[FigureName]) -> list[FigureName]:
    usual = SHOWN_OF_SERVICES if cell.mode == "service" else SHOWN
    wanted = named or {*usual, *those_of(cell, SAMPLED)}
    return [figure for figure in figures_of(cell) if figure in wanted]


def _names(cell: Cell) -> tuple[str, ...]:
    """The names of a cell: its variant, and for a service also its own name (its tier)."""
    return (cell.variant, cell.tier) if _is_service(cell) else (cell.variant,)


def _is_service(cell: Cell) -> bool:
    return cell.kind in ("service", "peak")


def _counterparts(
    group: Sequence[CellEvidence], first: str, second: str
) -> list[tuple[CellEvidence, CellEvidence]]:
    """The pairs of cells to compare. The pairs are programs of the same tier, and services of one
    framework on two variants or of one variant in two frameworks. If each name has a single cell,
    these two cells are the pair."""
    seen = {one.cell.id: one for one in group}
    cells = [one.cell for one in group]
    return [
        (seen[ours.id], seen[theirs.id])
        for ours, theirs in _planned_counterparts(cells, first, second)
    ]


def _planned_counterparts(
    group: Sequence[Cell], first: str, second: str
) -> list[tuple[Cell, Cell]]:
    ours = [one for one in group if first in _names(one)]
    theirs = [one for one in group if second in _names(one)]
    if len(ours) == len(theirs) == 1 and _is_service(ours[0]):
        return [(ours[0], theirs[0])]
    return [(one, other) for one in ours for other in theirs if _alike(one, other)]


def _alike(first: Cell, second: Cell) -> bool:
    if first.tier == second.tier:
        return True
    return _is_service(first) and first.variant == second.variant


def _name(plan: Plan, cell: Cell) -> str:
    """The name of a comparison: the parts of the name that its two cells have in common."""
    parts = [cell.benchmark, cell.workload, cell.size, cell.mode]
    if cell.service is not None:
        point = cell.service.point
        parts.append(f"{point.rate_per_s:g}/s{spoken(point.protocol)}")
    elif cell.peak is not None:
        parts.append(f"peak {connections_text(cell.peak.connections, cell.peak.pipeline)}")
    elif cell.tier != "standard":
        parts.append(cell.tier)
    around = surroundings(cell.threads, cell.factors)
    if around != ["1 thread"]:
        parts += around
    if cell.drive is not None:
        parts.append(f"{cell.drive.connections} connections")
    parts += plan.distinction(cell)
    return " ".join(parts)


def _worst(
    before: Verdicts, after: Verdicts, ours: CellEvidence, theirs: CellEvidence, figure: FigureName
) -> VerdictState:
    return worst([before[ours.cell.id][figure].state, after[theirs.cell.id][figure].state])


def _limit(cell: Cell, figure: FigureName, threshold: float, hosts: Hosts) -> float:
    """The allowed change: the threshold or, if it is larger, the change that the machines may have
    caused."""
    if figure not in those_of(cell, TIMED):
        return threshold
    by_wall_clock = figure in those_of(cell, ELAPSED)
    calibrations = [host.calibration for host in hosts if host.calibration is not None]
    floors = [
        one.noise_floor_wall if by_wall_clock else one.noise_floor_cpu for one in calibrations
    ]
    return max(threshold, *floors)


def _limit_between(
    cell: Cell, figure: FigureName, threshold: float, first: Hosts, second: Hosts
) -> float:
    """The allowed change between two runs. It includes the difference between the speeds of their
    machines."""
    limit = _limit(cell, figure, threshold, (*first, *second))
    if figure not in those_of(cell, TIMED):
        return limit
    return max(limit, abs(_drift(first, second) or 0.0))


def _drift(first: Hosts, second: Hosts) -> float | None:
    """The share by which the reference loop was slower on the second run's machines; None if one of
    the machines was not calibrated."""
    before, after = ([one.calibration for one in hosts] for hosts in (first, second))
    if None in before or None in after:
        return None
    return drift_between(
        [one.reference_ns for one in before if one], [one.reference_ns for one in after if one]
    )


def _speed(first: Hosts, second: Hosts) -> tuple[VerdictState, str]:
    """The verdict on comparing times of the two runs, with the reason."""
    drift = _drift(first, second)
    if drift is None:
        return "void", (
            "one of the machines was not calibrated, so it is unknown whether both machines "
            "are equally fast"
        )
    if abs(drift) > VOID_DRIFT:
        return "void", (
            f"the speeds of the two machines differ by {quantity.percent(abs(drift))}, as "
            "runfair's reference loop (constant work) shows"
        )
    return "flagged", ""


def _verdicts(run: RunEvidence) -> Verdicts:
    return {one.cell: one.figures for one in judge(run).cells}


def _paired_arrangements(
    one: CellEvidence, other: CellEvidence, figure: FigureName, pairs: int
) -> int:
    """The number of orders of the values that are equally likely if nothing changed. In each pair
    the two values may be exchanged. If the values of each side are all equal, the machine did not
    vary either, and then every execution may have belonged to either side."""
    if len({*cell_values(one, figure)}) == len({*cell_values(other, figure)}) == 1:
        return comb(2 * pairs, pairs)
    return 1 << pairs
