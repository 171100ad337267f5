"""Times of single requests. Each time is known only by a lower and an upper limit.

CPU time and run queue come from samples of the service's processes. A sample contains the total of
all threads so far. The sample does not show which request used the time, or when. The upper limit
of a request is the time used between the samples before and after it; the lower limit is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runfair.formats.service import Usage
from runfair.statistics.array import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Limits:
    """The lower and upper limits of a time of each request, as arrays of shape (requests,). If the
    two limits of a request are equal, its time is known. Raises ValueError if an upper limit is
    below its lower limit, or if a limit is negative."""

    least_ns: FloatArray
    most_ns: FloatArray

    def __post_init__(self) -> None:
        if self.least_ns.shape != self.most_ns.shape or self.least_ns.ndim != 1:
            raise ValueError("both arrays of limits need one value for each request")
        if not ((self.least_ns >= 0) & (self.least_ns <= self.most_ns)).all():
            raise ValueError("a lower limit must be neither negative nor above its upper limit")

    @classmethod
    def exactly(cls, times_ns: npt.ArrayLike) -> Limits:
        times = np.asarray(times_ns, dtype=np.float64)
        return cls(times, times)

    @classmethod
    def at_most(cls, times_ns: npt.ArrayLike) -> Limits:
        times = np.asarray(times_ns, dtype=np.float64)
        return cls(np.zeros_like(times), times)

    def within(self, room_ns: FloatArray) -> Limits:
        """The limits, reduced to at most `room_ns` of each request."""
        return Limits(np.minimum(self.least_ns, room_ns), np.minimum(self.most_ns, room_ns))


LOOK_TAKES_NS = 5_000_000
"""The time that taking a sample may need. To take a sample, the lab reads a few files for each
thread, and takes the time stamp afterwards."""


@dataclass(frozen=True, eq=False)
class ProcessorTimes:
    """The limits of each request's CPU time and of its run-queue delay; the delay is None if the
    kernel does not report it. `sampling_interval_ns` is the median time between two samples."""

    own_cpu: Limits
    run_queue: Limits | None
    sampling_interval_ns: int


def processor_times(
    looks: Sequence[Usage], from_ns: IntArray, until_ns: IntArray, uncertainty_ns: int = 0
) -> ProcessorTimes | None:
    """The processor times of requests, computed from their starts and ends. Starts and ends have
    shape (requests,) and are on the samples' clock, to within ± `uncertainty_ns`. A request uses at
    most one processor at a time. The result is None if there are fewer than two samples."""
    if len(looks) < 2:
        return None
    at_ns = np.array([look.monotonic_ns for look in looks], dtype=np.int64)
    last = len(at_ns) - 1
    before = np.searchsorted(at_ns, from_ns - uncertainty_ns, side="right") - 1
    after = np.searchsorted(at_ns, until_ns + LOOK_TAKES_NS + uncertainty_ns, side="left")
    # The times before the first sample and after the last are unknown.
    unseen = (before < 0) | (after > last)
    room_ns = (until_ns - from_ns).astype(np.float64)

    def used(told: Sequence[int]) -> Limits:
        so_far = np.array(told, dtype=np.int64)
        between = so_far[np.minimum(after, last)] - so_far[np.maximum(before, 0)]
        return Limits.at_most(
            np.where(unseen, room_ns, np.minimum(np.maximum(between, 0), room_ns))
        )

    queued = [look.run_queue_ns for look in looks if look.run_queue_ns is not None]
    return ProcessorTimes(
        own_cpu=used([look.cpu_ns for look in looks]),
        run_queue=used(queued) if len(queued) == len(looks) else None,
        sampling_interval_ns=int(np.median(np.diff(at_ns))),
    )
