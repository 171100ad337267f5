"""Bounds of a percentile when part of its data is missing.

Failed requests have no latency, but leaving them out would make a service that refuses its slowest
requests look faster. Counted as the fastest requests, they lower the percentile. Counted as never
answered, they raise it, and beyond the last good answer if they outnumber the tail. The true value
lies between (interval censoring; Helsel, *Statistics for Censored Environmental Data*, 2nd edition
2012, section 2). A request that the generator gave up took at least as long as it had waited. The
load generator has the same rule (`loadgen/src/judgement/censored.rs`), tested with the same
vectors. `least_median` treats interruptions by other processes, of which only the sum is known.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from runfair.statistics.percentile import rank


class Distribution(Protocol):
    """A histogram of latencies, its cells in rising order."""

    @property
    def greatest(self) -> npt.NDArray[np.int64]: ...

    @property
    def counts(self) -> npt.NDArray[np.int64]: ...


def bracket(
    good: Distribution, failed: int, share: float, given_up: Distribution | None = None
) -> tuple[float | None, float | None]:
    """The lower and upper bound of the percentile `share` of all requests, `failed` of which have
    no latency. `given_up` are the failed requests that the generator stopped waiting for, and how
    long each had waited. The lower bound is 0 if the percentile may be a request that failed at
    once; the upper bound is None if it may never have been answered. Both are None without
    requests.
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
    """A lower bound of the median without a `delay` of which only the sum over all durations is
    known, in their unit, at least 0. None without durations.

    Of n durations at most k contain more than delay / (k + 1) each. So for every k the true median
    is at least the order statistic k places below the measured median, minus delay / (k + 1). The
    greatest of these bounds is returned.
    """
    ordered = np.sort(np.asarray(durations, dtype=np.float64))
    if not len(ordered):
        return None
    middle = (len(ordered) - 1) // 2
    spared = np.arange(middle + 1)
    limits = ordered[middle - spared] - delay / (spared + 1)
    return float(max(0.0, limits.max()))
