"""Parallel efficiency: the share of the time of P processors that did the work of one processor.

A program's cell on P processors is compared with its cell on one processor, each with as many
threads as processors. C is the CPU time and T the wall time of an iteration:

    work inflation = C_P / C_1
    utilisation    = C_P / (P * T_P)
    efficiency     = C_1 / (P * T_P) = utilisation / work inflation

Each execution gives a mean over its undisturbed iterations (runfair.statistics.undisturbed).
Utilisation is computed within each execution, so it cannot exceed 1. If one processor is never
idle, C_1 = T_1. Source: docs/statistics.md, "Parallel efficiency".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import TIMES
from runfair.formats.finding import FigureName, Verdict, worst
from runfair.formats.plan import Cell
from runfair.formats.result import Estimate, ParallelEfficiency
from runfair.result.ratios import interval_of
from runfair.statistics.comparison import welch_ratio
from runfair.statistics.headline import location
from runfair.statistics.log_interval import telling
from runfair.statistics.undisturbed import is_coarse, undisturbed

Floats = npt.NDArray[np.float64]
Verdicts = Mapping[str, Mapping[FigureName, Verdict]]


def parallel_efficiencies(
    evidence: RunEvidence, verdicts: Verdicts
) -> Iterator[ParallelEfficiency]:
    """The parallel efficiency of each steady cell on several processors whose program also ran on
    one processor. Cells that were measured on different hosts are not compared."""
    steady = [one for one in evidence.programs if _has_own_processors(one.cell)]
    alone = {_program(one.cell): one for one in steady if one.cell.threads == 1}
    for one in sorted(steady, key=lambda each: each.cell.threads):
        base = alone.get(_program(one.cell))
        if one.cell.threads > 1 and base is not None and set(one.host_names) == {*base.host_names}:
            yield _efficiency(one, base, verdicts)


def _has_own_processors(cell: Cell) -> bool:
    return cell.mode == "steady" and cell.peak is None and cell.factors.processors == cell.threads


def _program(cell: Cell) -> tuple[object, ...]:
    """The key of a program. The key is equal for cells that differ only in threads and
    processors."""
    work = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size)
    factors = cell.factors.model_copy(update={"processors": 1})
    return (*work, cell.variant, cell.tier, factors, cell.drive)


def _efficiency(one: CellEvidence, base: CellEvidence, verdicts: Verdicts) -> ParallelEfficiency:
    ours, alone = _Windows.of(one), _Windows.of(base)
    processors = one.cell.threads
    told = [verdicts[each.cell.id][figure].state for each in (one, base) for figure in TIMES]
    state = worst(told)
    known = bool(ours.kept and alone.kept) and state != "void"
    return ParallelEfficiency(
        cell=one.cell.id,
        alone=base.cell.id,
        processors=processors,
        kept=ours.kept,
        iterations=ours.total,
        kept_alone=alone.kept,
        iterations_alone=alone.total,
        efficiency=_ratio(alone.cpu_ns, processors * ours.wall_ns) if known else None,
        work_inflation=_ratio(ours.cpu_ns, alone.cpu_ns) if known else None,
        utilisation=_share(ours.cpu_ns / (processors * ours.wall_ns)) if known else None,
        verdict=state,
    )


@dataclass(frozen=True, eq=False)
class _Windows:
    """The undisturbed iterations of a cell. The arrays have the mean of each execution that has
    such iterations."""

    kept: int
    total: int
    wall_ns: Floats
    cpu_ns: Floats

    @classmethod
    def of(cls, cell: CellEvidence) -> _Windows:
        kept, total, means = 0, 0, []
        for one in cell.completed:
            wall_ns, cpu_ns = one.wall_ns[one.steady_part], one.cpu_ns[one.steady_part]
            chosen = _undisturbed(one)
            kept, total = kept + int(chosen.sum()), total + len(chosen)
            if chosen.any():
                means.append((wall_ns[chosen].mean(), cpu_ns[chosen].mean()))
        wall, cpu = np.array(means, dtype=np.float64).reshape(-1, 2).T
        return cls(kept, total, wall, cpu)


def _undisturbed(one: ExecutionEvidence) -> npt.NDArray[np.bool_]:
    """Which iterations of the steady part count: none if the CPU clock is too coarse."""
    wall_ns, cpu_ns = one.wall_ns[one.steady_part], one.cpu_ns[one.steady_part]
    processors, launch = one.cell.threads, one.record.launch
    if not len(wall_ns) or is_coarse(wall_ns, one.cpu_resolution_ns, processors):
        return np.zeros(len(wall_ns), dtype=np.bool_)
    taken = None
    if launch.foreign_ns is not None and launch.wall_ns:
        others_ns = launch.foreign_ns + (launch.steal_ns or 0)
        taken = others_ns / (launch.wall_ns * processors)
    return undisturbed(wall_ns, cpu_ns, processors, taken)


def _ratio(above: Floats, below: Floats) -> Estimate:
    ratio = welch_ratio(above, below)
    return Estimate(value=ratio.value, interval=interval_of(ratio))


def _share(shares: Floats) -> Estimate:
    """The centre of shares. Two clocks that are read one after the other can make a share a little
    greater than 1."""
    middle = location(shares)
    limits = telling(middle.low, middle.high)
    ends = None if limits is None else (min(1.0, limits[0]), min(1.0, limits[1]))
    return Estimate(value=min(1.0, middle.value), interval=ends)
