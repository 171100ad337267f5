"""Bounds of a percentile when part of its data is missing.

Failed requests have no latency. If failed requests were left out, a service that refuses its
slowest requests would look faster. If failed requests are counted as the fastest requests, the
percentile is lowest. If failed requests are counted as never answered, the percentile is highest.
If there are more failed requests than requests in the tail, this highest percentile is infinite, so
there is no upper limit. The true value lies between the lowest and the highest percentile (interval
censoring; Helsel, *Statistics for Censored Environmental Data*, 2nd edition 2012, section 2). If
the generator stopped waiting for a request, the request took at least as long as it had waited. The
load generator has the same rule (`loadgen/src/judgement/censored.rs`), and both implementations are
tested with the same test vectors. The function `least_median` handles interruptions by other
processes, of which only the total time is known.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from runfair.statistics.percentile import rank


class Distribution(Protocol):
    """A histogram of latencies, with its cells in rising order."""

    @property
    def greatest(self) -> npt.NDArray[np.int64]: ...

    @property
    def counts(self) -> npt.NDArray[np.int64]: ...


def bracket(
    good: Distribution,
    failed: int,
    share: float,
    given_up: Distribution | None = None,
    unseen: int = 0,
) -> tuple[float | None, float | None]:
    """The lower and upper bound of the percentile `share` of all requests. `failed` is the number
    of requests without a latency. `given_up` has those failed requests that the generator stopped
    waiting for, with the time that each had waited. `unseen` answers among the `good` ones failed
    as well, but it is unknown which. For the lower bound, they are the slowest good answers; for
    the upper bound, the fastest. The lower bound is 0 if the percentile may belong to a request
    that failed at once. The upper bound is None if it may belong to a request that was never
    answered. Both bounds are None if there are no requests.
    """
    waited = 0 if given_up is None else int(given_up.counts.sum())
    if not 0 <= waited <= failed:
        raise ValueError(f"{waited} requests were given up, but only {failed} requests failed")
    answered = int(good.counts.sum())
    if answered + failed == 0:
        return None, None
    place = rank(share, answered + failed)
    last = place + unseen
    high = _at(good.greatest, good.counts, last) if last <= answered else None
    at_once = failed - waited + unseen
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
    """The least median that the durations can have without delays. `delay` is the known sum of the
    delays over all durations, in the same unit. The result is at least 0. It is None if there are
    no durations.

    If the true median is m, then the true durations up to the median are at most m. The cheapest
    way to this takes the shortest measured durations up to the measured median x_0 ≥ x_1 ≥ …, and
    lowers those that exceed m. So for every k, x_0 + … + x_k - (k + 1) · m ≤ delay. The result is
    the least m that satisfies all of these conditions.
    """
    ordered = np.sort(np.asarray(durations, dtype=np.float64))
    if not len(ordered):
        return None
    middle = (len(ordered) - 1) // 2
    lowered = np.arange(1, middle + 2)
    limits = (np.cumsum(ordered[middle::-1]) - delay) / lowered
    return float(max(0.0, limits.max()))
