"""The one value that an execution contributes to each figure of its cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import numpy as np

from runfair.fairness.evidence import CellEvidence, ExecutionEvidence
from runfair.formats.finding import FigureName
from runfair.formats.plan import Cell, Mode
from runfair.formats.service import SHARES, Percentile

FIGURES: tuple[FigureName, ...] = get_args(FigureName)
TIMES: tuple[FigureName, ...] = ("wall", "cpu")
PERCENTILES: tuple[Percentile, ...] = get_args(Percentile)
LATENCIES: tuple[FigureName, ...] = (*PERCENTILES, "max")
# Times by the wall's clock, which others on the machine lengthen; and all times.
ELAPSED: tuple[FigureName, ...] = ("wall", *LATENCIES, "start", "first", "work")
TIMED: tuple[FigureName, ...] = ("cpu", *ELAPSED)

_OF_PROGRAMS: tuple[FigureName, ...] = ("wall", "cpu", "memory")
_OF_WHOLE_PROCESSES: tuple[FigureName, ...] = (*_OF_PROGRAMS, "start", "first", "work")
_OF_SERVICES: tuple[FigureName, ...] = (*LATENCIES, "cpu", "memory", "start")


def figures_of(mode: Mode) -> tuple[FigureName, ...]:
    """The figures that a cell of this mode has."""
    if mode == "service":
        return _OF_SERVICES
    return _OF_WHOLE_PROCESSES if mode == "cold" else _OF_PROGRAMS


def those_of(cell: Cell, figures: Iterable[FigureName]) -> list[FigureName]:
    """Of these figures, those that the cell has."""
    return [figure for figure in figures if figure in figures_of(cell.mode)]


def execution_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    """Nanoseconds or bytes; None where the execution failed or has nothing to tell.

    Memory is the peak of the process tree, `start` the time from the process to its program. A cold
    execution is measured as a whole process, from the launcher's report: `wall` is its total time,
    `first` the time to its first iteration (loading the input is in it), `work` the iteration. How
    long a server lives says nothing: one that is driven gives the times of its pass. A steady one
    gives, over its steady part, the median wall time of an iteration, and the mean CPU time: a sum
    counts every step of a coarse clock, a median would return the step itself. A service gives,
    over its steady part, the percentiles of the latency, the CPU time of a request, and as `start`
    its first answer. Where no steady state was found the last half stands in, and the check
    `warm_up` says so.
    """
    if not evidence.completed:
        return None
    if evidence.mode == "service":
        return _service_value(evidence, figure)
    return _program_value(evidence, figure)


def _program_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    launch, start = evidence.record.launch, evidence.record.start
    if figure == "start":
        # Until the program's own first line of code: two readings of the realtime clock.
        return None if start is None else float(start.realtime_ns - launch.started_realtime_ns)
    if figure == "memory":
        return float(launch.peak_tree_bytes)
    if evidence.mode == "cold":
        return _whole_process(evidence, figure)
    if len(evidence.wall_ns) == 0:
        return None
    if figure == "wall":
        return float(np.median(evidence.wall_ns[evidence.steady_part]))
    return float(np.mean(evidence.cpu_ns[evidence.steady_part]))


def _whole_process(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    record, launch = evidence.record, evidence.record.launch
    if figure in ("first", "work"):
        began_ns = record.first_iteration_monotonic_ns
        if record.driven or began_ns is None:
            return None
        first_ns = began_ns - launch.started_monotonic_ns
        return float(first_ns if figure == "first" else evidence.wall_ns[0])
    if record.driven:
        return float((evidence.wall_ns if figure == "wall" else evidence.cpu_ns).sum())
    return float(launch.wall_ns if figure == "wall" else launch.cpu_ns)


def _service_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    load, served = evidence.load, evidence.record.served
    if load is None or served is None:
        return None
    value: float | None = None
    if figure == "max":
        value = load.latency.max
    elif figure == "cpu":
        value = load.own.cpu_ns
    elif figure == "memory":
        # Where more loads followed, they pushed the service elsewhere: then what was seen of its
        # peak until the end of this one counts.
        whole_life = evidence.record.launch.peak_tree_bytes
        value = whole_life if whole_life and len(served.loads) == 1 else load.peak_bytes
    elif figure == "start":
        cold = served.start
        if cold is not None and cold.first_answer_ns is not None:
            value = cold.first_answer_ns - cold.process_ns
    else:
        share = next(share for name, share in SHARES.items() if name == figure)
        value = load.latency.value_at(share)
    return None if value is None else float(value)


def cell_values(cell: CellEvidence, figure: FigureName) -> list[float]:
    """The values of a cell's completed executions, pilots excluded, in the records' order."""
    values = (execution_value(one, figure) for one in cell.completed)
    return [value for value in values if value is not None]
