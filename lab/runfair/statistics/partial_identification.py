"""The least and the greatest that a percentile can be, if part of its data is missing.

Failed requests have no latency, but leaving them out would make a service that refuses its slowest
requests look faster. Counted as the fastest, they move the percentile down; counted as never
answered, they move it up, and beyond the last good answer if they are more than the tail. The truth
lies between (interval censoring; Helsel, *Statistics for Censored Environmental Data*, 2nd edition
2012, section 2). Of interruptions by others only the sum is known.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt


class Distribution(Protocol):
    """Good answers' latencies."""

    def value_at(self, share: float) -> int | None: ...


def bracket(good: Distribution, failed: float, share: float) -> tuple[float | None, float | None]:
    """The least and the greatest that the percentile `share` of all requests can be, where the
    share `failed` of them has no latency. The lower is 0 where so many failed that the percentile
    may be one of them, the upper None where it may be.

    Raises ValueError for a share of failures that is none.
    """
    if not 0 <= failed <= 1:
        raise ValueError(f"a share is 0 to 1, not {failed}")
    answered = 1 - failed
    low: float | None = 0.0
    high: float | None = None
    if failed < share:
        low = _number(good.value_at((share - failed) / answered))
    if share <= answered and answered > 0:
        high = _number(good.value_at(min(1.0, share / answered)))
    return low, high


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)


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
