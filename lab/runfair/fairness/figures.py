"""The one value that an execution contributes to each figure of its cell."""

from __future__ import annotations

from typing import get_args

import numpy as np

from runfair.fairness.evidence import CellEvidence, ExecutionEvidence
from runfair.formats.finding import FigureName

FIGURES: tuple[FigureName, ...] = get_args(FigureName)
TIMES: tuple[FigureName, ...] = ("wall", "cpu")


def execution_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    """Nanoseconds or bytes; None where the execution failed or has nothing to tell.

    Memory is the peak of the process tree. A cold execution is measured as a whole process, from
    the launcher's report. A steady one gives, over its steady part, the median wall time of an
    iteration, and the mean CPU time: a sum counts every step of a coarse clock, a median would
    return the step itself. Where no steady state was found the last half stands in, and the
    check `warm_up` says so.
    """
    if not evidence.completed:
        return None
    launch = evidence.record.launch
    if figure == "memory":
        return float(launch.peak_tree_bytes)
    if evidence.mode == "cold":
        return float(launch.wall_ns if figure == "wall" else launch.cpu_ns)
    if len(evidence.wall_ns) == 0:
        return None
    if figure == "wall":
        return float(np.median(evidence.wall_ns[evidence.steady_part]))
    return float(np.mean(evidence.cpu_ns[evidence.steady_part]))


def cell_values(cell: CellEvidence, figure: FigureName) -> list[float]:
    """The values of a cell's completed executions, pilots excluded, in the records' order."""
    values = (execution_value(one, figure) for one in cell.completed)
    return [value for value in values if value is not None]
