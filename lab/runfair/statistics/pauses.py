"""Compares requests with a runtime's pauses: which requests overlapped a pause, whether pauses
explain the tail, and which pauses do not appear in any latency.

All instants are read from one clock, in integer nanoseconds. Pauses are an array of shape (k, 2)
with the start and the end of each pause. The pauses may be in any order and may overlap. Requests
are arrays of equal length: `intended`, the instant at which a request was due, and `done`, the
instant at which its answer was complete.
"""

from dataclasses import dataclass

import numpy as np

from runfair.statistics.array import BoolArray, IntArray

LONG_PAUSE_MEDIANS = 5
"""If a pause is longer than five median latencies, it must appear in a latency (docs/fairness.md,
"omitted_pauses")."""

SHOWN_SHARE = 0.8
"""A pause appears in the latencies if a latency is at least 80% of the wait that the pause must
have caused."""


def united(pauses: IntArray) -> IntArray:
    """The pauses in order. Pauses that overlap or touch are joined, and empty pauses are dropped.

    Raises ValueError if the shape is not (k, 2), or if a pause ends before it starts.
    """
    if pauses.ndim != 2 or pauses.shape[1] != 2:
        raise ValueError(f"the array of pauses must have the shape (k, 2), not {pauses.shape}")
    if np.any(pauses[:, 1] < pauses[:, 0]):
        raise ValueError("a pause ends before it starts")
    kept = pauses[pauses[:, 1] > pauses[:, 0]]
    kept = kept[np.argsort(kept[:, 0], kind="stable")]
    if len(kept) == 0:
        return kept
    reached = np.maximum.accumulate(kept[:, 1])
    first = np.concatenate(([True], kept[1:, 0] > reached[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.stack((kept[first, 0], reached[last]), axis=1)


def widened(pauses: IntArray, by_ns: int) -> IntArray:
    """The pauses, lengthened by `by_ns` at both ends and then joined. The resulting pauses contain
    every pause even if two clocks differ by `by_ns`."""
    return united(pauses + np.array([-by_ns, by_ns], dtype=np.int64))


def shrunk(pauses: IntArray, by_ns: int) -> IntArray:
    """The pauses, shortened by `by_ns` at both ends; a pause that becomes empty is dropped. The
    program certainly stood still during the shortened pauses, even if two clocks differ by
    `by_ns`."""
    cut = united(pauses) + np.array([by_ns, -by_ns], dtype=np.int64)
    return united(cut[cut[:, 1] > cut[:, 0]])


def overlap(pauses: IntArray, intended_ns: IntArray, done_ns: IntArray) -> BoolArray:
    """For each request: whether it was under way (from `intended` to `done`) during any part of a
    pause."""
    joined = united(pauses)
    if len(joined) == 0:
        return np.zeros(len(intended_ns), dtype=np.bool_)
    # The first pause that ends after the request was due: earlier pauses cannot matter.
    candidate = np.searchsorted(joined[:, 1], intended_ns, side="right")
    starts = np.append(joined[:, 0], np.iinfo(np.int64).max)
    met: BoolArray = starts[candidate] < done_ns
    return met


@dataclass(frozen=True)
class PauseShare:
    """How often pauses overlapped requests of the tail. `tail` is the share of the requests above a
    percentile that overlapped a pause. `chance` is the same share of all requests; it is expected
    if pauses do not cause the tail. `tail` is None if no request lies above the percentile, because
    all requests of the tail took equally long."""

    tail: float | None
    chance: float


def pause_share(latencies_ns: IntArray, overlapped: BoolArray, percentile: float) -> PauseShare:
    """The share of the tail above `percentile` (of 100) that overlapped a pause, and the share
    expected by chance.

    The percentile is the order statistic of rank ⌈n·percentile/100⌉; the tail lies strictly above.
    Raises ValueError if there are no requests, or if the percentile is outside (0, 100).
    """
    if len(latencies_ns) == 0:
        raise ValueError("no requests")
    if not 0 < percentile < 100:
        raise ValueError(f"a percentile must be between 0 and 100, but it is {percentile}")
    limit_ns = np.percentile(latencies_ns, percentile, method="inverted_cdf")
    tail = overlapped[latencies_ns > limit_ns]
    return PauseShare(
        tail=float(np.mean(tail)) if len(tail) else None,
        chance=float(np.mean(overlapped)),
    )


@dataclass(frozen=True)
class MissingPauses:
    """The pauses that appear in no latency. `long` is the number of pauses that are long enough to
    appear. `missing`, of shape (m, 2), has those that do not appear. `unmet` is the number of
    pauses during which no request was due; these pauses prove nothing."""

    long: int
    unmet: int
    missing: IntArray


def missing_pauses(
    pauses: IntArray,
    intended_ns: IntArray,
    done_ns: IntArray,
    p50_ns: float,
    uncertainty_ns: int = 0,
) -> MissingPauses:
    """The pauses that should appear in the latencies but do not.

    A request that is due during a pause waits for the pause's end, so the first request that is due
    has the longest certain wait. The pause appears in the latencies if any request that was under
    way during it took at least SHOWN_SHARE of that wait. The clocks of pauses and requests may
    differ by up to `uncertainty_ns`. A pause counts as missing only if, at every offset in this
    range, a request was due and no latency shows the pause.
    """
    joined = united(pauses)
    long = joined[joined[:, 1] - joined[:, 0] > LONG_PAUSE_MEDIANS * p50_ns]
    order = np.argsort(intended_ns, kind="stable")
    intended, done = intended_ns[order], done_ns[order]
    reached = np.maximum.accumulate(done)
    missing = []
    unmet = 0
    for pause in long:
        shown: bool | None = False
        for shift in _shifts(pause, intended, uncertainty_ns):
            found_here = _shows(pause + shift, intended, done, reached)
            if found_here:
                shown = True
                break
            if found_here is None:
                shown = None
        if shown is None:
            unmet += 1
        elif not shown:
            missing.append(pause)
    found = np.array(missing, dtype=np.int64).reshape(-1, 2)
    return MissingPauses(long=len(long), unmet=unmet, missing=found)


def _shifts(pause: IntArray, intended: IntArray, uncertainty_ns: int) -> IntArray:
    """The clock offsets that must be tried, in rising order: the least offset, and each offset at
    which a request leaves the pause at its beginning or enters it at its end. Between two of these
    offsets, the expected wait only grows and requests only leave."""
    found = [np.array([0, -uncertainty_ns], dtype=np.int64)]
    for edge in pause:
        near = np.searchsorted(intended, [edge - uncertainty_ns, edge + uncertainty_ns])
        found.append(intended[slice(*near)] - edge + 1)
    shifts = np.unique(np.concatenate(found))
    return shifts[np.argsort(np.abs(shifts), kind="stable")]


def _shows(pause: IntArray, intended: IntArray, done: IntArray, reached: IntArray) -> bool | None:
    """Whether a latency shows the pause; None if no request was due during it. Requests are in the
    order in which they were due. `reached` has, for each request, the latest end of all requests up
    to it."""
    first, end = np.searchsorted(intended, pause, side="left")
    if first == end:
        return None
    # All requests before this request were done when the pause began.
    earliest = np.searchsorted(reached, pause[0], side="right")
    window = slice(min(earliest, first), end)
    latencies = (done[window] - intended[window])[done[window] > pause[0]]
    expected_ns = SHOWN_SHARE * (pause[1] - intended[first])
    return bool(len(latencies) and latencies.max() >= expected_ns)
