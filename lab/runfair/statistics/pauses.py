"""Requests against a runtime's pauses: which requests met a pause, whether pauses explain the tail,
and which pauses no latency shows.

All instants are read from one clock, in integer nanoseconds. Pauses are an array of shape (k, 2):
start and end of each, in any order, overlapping or not. Requests are arrays of equal length:
`intended`, the instant at which a request was due, and `done`, the instant at which its answer was
complete.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LONG_PAUSE_MEDIANS = 5
"""A pause longer than five median latencies must show (docs/fairness.md, "omitted_pauses")."""

SHOWN_SHARE = 0.8
"""A pause shows if a latency is at least 80% of the wait that the pause must have caused."""


def united(pauses: IntArray) -> IntArray:
    """The pauses sorted, with overlapping and touching ones made one; empty ones are dropped.

    ValueError if the shape is not (k, 2) or one ends before it starts.
    """
    if pauses.ndim != 2 or pauses.shape[1] != 2:
        raise ValueError(f"pauses have the shape (k, 2), not {pauses.shape}")
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
    """The pauses, each longer by `by_ns` at both ends, united: they contain every pause even if two
    clocks differ by so much."""
    return united(pauses + np.array([-by_ns, by_ns], dtype=np.int64))


def shrunk(pauses: IntArray, by_ns: int) -> IntArray:
    """The pauses, each shorter by `by_ns` at both ends, without those that vanish: the program
    certainly stood still in them even if two clocks differ by so much."""
    cut = united(pauses) + np.array([by_ns, -by_ns], dtype=np.int64)
    return united(cut[cut[:, 1] > cut[:, 0]])


def overlap(pauses: IntArray, intended_ns: IntArray, done_ns: IntArray) -> BoolArray:
    """For each request, whether it was under way (intended to done) during any part of a pause."""
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
    """How often pauses met the tail: `tail` is the share of the `tail_requests` above a percentile
    that overlapped a pause, `chance` the same share of all requests, expected if pauses do not
    cause the tail. `tail` is None if no request lies above (all of the tail takes equally long)."""

    tail: float | None
    chance: float
    tail_requests: int


def pause_share(latencies_ns: IntArray, overlapped: BoolArray, percentile: float) -> PauseShare:
    """The share of the tail above `percentile` (of 100) that met a pause, beside the share by
    chance.

    The percentile is the order statistic of rank ⌈n·percentile/100⌉; the tail lies strictly above.
    ValueError without requests or for a percentile outside (0, 100).
    """
    if len(latencies_ns) == 0:
        raise ValueError("no requests")
    if not 0 < percentile < 100:
        raise ValueError(f"a percentile lies between 0 and 100, not at {percentile}")
    limit_ns = np.percentile(latencies_ns, percentile, method="inverted_cdf")
    tail = overlapped[latencies_ns > limit_ns]
    return PauseShare(
        tail=float(np.mean(tail)) if len(tail) else None,
        chance=float(np.mean(overlapped)),
        tail_requests=len(tail),
    )


@dataclass(frozen=True)
class MissingPauses:
    """Pauses that no latency shows. Of the `long` pauses (long enough to show), `missing` (shape
    (m, 2)) do not show; `unmet` is the number of pauses in which no request was due, which prove
    nothing."""

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
    """The pauses that should show in the latencies and do not.

    A request that is due during a pause waits for its end, so the longest certain wait is that of
    the first such request. The pause shows if any request that was under way during it took at
    least SHOWN_SHARE of that wait. The clocks of pauses and requests may differ by up to
    `uncertainty_ns`: a pause counts as missing only if it shows at no offset in this range, and is
    unmet at none.
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
    """The clock offsets that must be tried, the smallest first: the least offset, and each at which
    a request leaves the pause at its beginning or enters it at its end. Between two of them the
    expected wait only grows and requests only leave."""
    found = [np.array([0, -uncertainty_ns], dtype=np.int64)]
    for edge in pause:
        near = np.searchsorted(intended, [edge - uncertainty_ns, edge + uncertainty_ns])
        found.append(intended[slice(*near)] - edge + 1)
    shifts = np.unique(np.concatenate(found))
    return shifts[np.argsort(np.abs(shifts), kind="stable")]


def _shows(pause: IntArray, intended: IntArray, done: IntArray, reached: IntArray) -> bool | None:
    """Whether a latency shows the pause; None if no request was due in it. Requests are in the
    order in which they were due. `reached` is the latest end up to each request."""
    first, end = np.searchsorted(intended, pause, side="left")
    if first == end:
        return None
    # Requests before this one were all done when the pause began.
    earliest = np.searchsorted(reached, pause[0], side="right")
    window = slice(min(earliest, first), end)
    latencies = (done[window] - intended[window])[done[window] > pause[0]]
    expected_ns = SHOWN_SHARE * (pause[1] - intended[first])
    return bool(len(latencies) and latencies.max() >= expected_ns)
