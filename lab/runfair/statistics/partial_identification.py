"""The least and the greatest that a percentile can be, if part of its data is missing.

Failed requests have no latency, but leaving them out would make a service that refuses its slowest
requests look faster. Counted as the fastest, they move the percentile down; counted as never
answered, they move it up, and beyond the last good answer if they are more than the tail. The truth
lies between (interval censoring; Helsel, *Statistics for Censored Environmental Data*, 2nd edition
2012, section 2). A request that was given up took at least as long as it had waited by then. The
load generator has the same rule (`loadgen/src/judgement/censored.rs`), tested with the same
vectors. Of interruptions by others only the sum is known.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from runfair.statistics.percentile import rank


class Distribution(Protocol):
    """Latencies in cells, in rising order."""

    @property
    def greatest(self) -> npt.NDArray[np.int64]: ...

    @property
    def counts(self) -> npt.NDArray[np.int64]: ...


def bracket(
    good: Distribution, failed: int, share: float, given_up: Distribution | None = None
) -> tuple[float | None, float | None]:
    """The least and the greatest that the percentile `share` of all requests can be, where `failed`
    of them have no latency. `given_up`: those of the failed that were waited for, and how long.
    The lower is 0 if the percentile may be a request that failed at once, the upper None if
    it may never have been answered. Both are None without any request.
    """
    waited = 0 if given_up is None else int(given_up.counts.sum())
    if not 0 <= waited <= failed:
        raise ValueError(f"{waited} of {failed} failed requests cannot have been given up")
    answered = int(good.counts.sum())
    if answered + failed == 0:
        return None, None
    place = rank(share, answered + failed)
    high = _at(good.greatest, good.counts, place) if place <= answered else None
    at_once = failed - waited
    if place <= at_once:
        return 0.0, high
    if given_up is None:
        return _at(good.greatest, good.counts, place - at_once), high
    values = np.concatenate([good.greatest, given_up.greatest])
    counts = np.concatenate([good.counts, given_up.counts])
    order = np.argsort(values, kind="stable")
    return _at(values[order], counts[order], place - at_once), high


def _at(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], place: int) -> float:
    return float(values[np.searchsorted(np.cumsum(counts), place)])


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
