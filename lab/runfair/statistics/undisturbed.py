"""The windows (iterations) in which a program had its processors for itself.

A window counts if the program's CPU time is at least 95% of the time of its processors. No other
process can then have used more than 5% of this time. This selects by the result, so it is only
right for a program that would use its processors in every window. If fewer than half of an
execution's windows are such, the program may leave processors idle by itself. Then all windows
count if others took at most 5% of the processors' time, and otherwise none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LEAST_SHARE = 0.95
"""The share of the processors' time that a program must have had. On two real processors, the
parallel efficiency of Go's versions is 0.98 to 1.00 in such windows, and 0.41 to 0.60 in others."""

LEAST_KEPT = 0.5
"""The share of such windows from which on the program is taken to use its processors always. A
proposal, not calibrated."""


def undisturbed(
    wall_ns: npt.ArrayLike,
    cpu_ns: npt.ArrayLike,
    processors: int,
    taken: float | None,
    least_kept: float = LEAST_KEPT,
) -> npt.NDArray[np.bool_]:
    """Which windows count; both rows have an entry for each window. `taken` is the share of the
    processors' time that others took over all windows; None if it is unknown. For a program that
    is known to use its processors always, `least_kept` is 0."""
    used = np.asarray(cpu_ns) >= LEAST_SHARE * processors * np.asarray(wall_ns)
    if used.any() and used.mean() >= least_kept:
        return used
    return np.full_like(used, taken is not None and taken <= 1 - LEAST_SHARE)


def is_coarse(wall_ns: npt.ArrayLike, resolution_ns: int | None, processors: int) -> bool:
    """Whether the step of the CPU clock hides whether a window of the median length counts."""
    time_ns = processors * float(np.median(np.asarray(wall_ns)))
    return resolution_ns is None or resolution_ns > (1 - LEAST_SHARE) * time_ns
