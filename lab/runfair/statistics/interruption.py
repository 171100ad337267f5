"""How short a median can truly be, where interruptions by others are known in sum alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def least_median(durations: npt.ArrayLike, delay: float) -> float | None:
    """The least that the median can have been without a `delay` that was spread over the durations
    in a way that nobody knows; in their unit, never below 0. None without durations.

    Of n durations at most k have lost more than delay / (k + 1) each. So for every k the true
    median is at least the measured order statistic k places below it, less delay / (k + 1): the
    greatest of these bounds holds.
    """
    ordered = np.sort(np.asarray(durations, dtype=np.float64))
    if not len(ordered):
        return None
    middle = (len(ordered) - 1) // 2
    spared = np.arange(middle + 1)
    limits = ordered[middle - spared] - delay / (spared + 1)
    return float(max(0.0, limits.max()))
