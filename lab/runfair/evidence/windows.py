"""The windows of a load: stretches of time with enough requests to show their level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runfair.formats.histogram import Histogram, Interval

# The median of 100 requests is known to about a tenth of their spread. The detector reduces its
# input to at most 500 blocks.
LEAST_REQUESTS = 100
MOST_WINDOWS = 2000


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows of a load, as arrays with an entry for each window. Instants are counted from the
    load's start."""

    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    count: NDArray[np.int64]
    p50_ns: NDArray[np.int64]
    p99_ns: NDArray[np.int64]


def windows_of(intervals: Sequence[Interval]) -> Windows:
    """Neighbouring intervals merged until each window has enough requests."""
    total = sum(one.histogram.total for one in intervals)
    least = max(LEAST_REQUESTS, total // MOST_WINDOWS)
    rows: list[tuple[int, int, int, int, int]] = []
    gathered: list[Interval] = []
    held = 0
    for one in sorted(intervals, key=lambda each: each.start_ns):
        gathered.append(one)
        held += one.histogram.total
        if held >= least:
            rows.append(_window(gathered))
            gathered, held = [], 0
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    return Windows(*(table[:, column] for column in range(5)))


def _window(intervals: Sequence[Interval]) -> tuple[int, int, int, int, int]:
    values = Histogram.merged(one.histogram for one in intervals)
    end_ns = max(one.start_ns + one.length_ns for one in intervals)
    p50_ns, p99_ns = values.value_at(0.5), values.value_at(0.99)
    assert p50_ns is not None
    assert p99_ns is not None
    return intervals[0].start_ns, end_ns, values.total, p50_ns, p99_ns
