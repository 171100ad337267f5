"""Tests whether the tail of the latencies changes during a load, and when it stops changing.

A median can be flat while the tail still falls, for example if a garbage collector adapts or if
only rare requests reach some code. Percentiles of small windows of time cannot show such a change,
because a window contains too few slow requests. The test therefore divides a load into a few long
blocks of time, and counts in each block the requests that exceed fixed latencies. For p99, these
latencies are p99, p99.5 and p99.75: a tail that shrinks loses its farthest part first. The
cumulated excess of these counts (CUSUM) is compared with the greatest values that it has in random
orders of the blocks (Antoch and Hušková, Statistics & Probability Letters 53, 2001). The test
exchanges whole blocks, so requests within a block may be autocorrelated. The blocks of each
execution are shuffled separately, and then the counts are added, because an effect of a process's
age appears in all executions.

docs/statistics.md, "Services", has the simulated rates of detection and of false alarms
(`lab/tests/statistics/test_tail_change.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from runfair.statistics.array import FloatArray, IntArray

BLOCKS = 20
"""The number of blocks of a load. Blocks are long enough for requests in different blocks to be
nearly independent."""

SHORTEST = 3
"""The least number of blocks on either side of a change."""

TAIL_PARTS = (1.0, 0.5, 0.25)
"""The fixed latencies, each given by the share of the tail that lies above it. In 300 simulated
runs of 6 times 4,000 requests, an exponential tail that shrank to half was found in 72% with the
first latency alone, and in 98% with all of them."""

LEVEL = 0.02
"""The significance level of one test. A load is tested again after each change, and dependence
between neighbouring blocks adds false alarms. The total rate of false alarms stays below 5%."""

SMALLEST_CHANGE = 1.25
"""If a percentile changes by a smaller factor than this, it counts as steady (*proposal*). In ten
of seventeen stored runs of honest services, the percentile changes significantly, but by a smaller
factor than this."""

PERMUTATIONS = 499
SEED = 1979
ROUNDING = 1e-9


@dataclass(frozen=True)
class TailChange:
    """A change of the tail: from block `block` on (numbered from 0), requests exceed the fixed
    latencies less often (`falls`) or more often."""

    block: int
    falls: bool


def exceedances(
    block: npt.ArrayLike, value: npt.ArrayLike, counts: npt.ArrayLike, share: float
) -> tuple[FloatArray, FloatArray]:
    """For each block of an execution, the number of times that requests exceed the fixed latencies,
    and the number of requests. Both arrays have shape (blocks,).

    The arguments are arrays of equal length. Element i of the arrays describes `counts[i]` requests
    of a `block` (numbered from 0), which had the same `value`. `share` is 0.99 for p99. Raises
    ValueError if there was no request.
    """
    place, held = np.asarray(block, dtype=np.int64), np.asarray(counts, dtype=np.float64)
    if not held.sum():
        raise ValueError("no request was counted")
    distinct, which = np.unique(np.asarray(value), return_inverse=True)
    cumulative = np.cumsum(np.bincount(which, weights=held)) / held.sum()
    found: FloatArray = np.zeros(int(place.max()) + 1)
    for part in TAIL_PARTS:
        limit = int(np.searchsorted(cumulative, 1 - (1 - share) * part - ROUNDING))
        above = held * (which > min(limit, len(distinct) - 1))
        found += np.bincount(place, weights=above)
    return found, np.bincount(place, weights=held).astype(np.float64)


def tail_change(above: npt.ArrayLike, requests: npt.ArrayLike) -> TailChange | None:
    """The clearest change of the tail; None if no change is significant.

    Both tables have shape (executions, blocks); the function `exceedances` computes their rows. The
    same counts always give the same answer. Raises ValueError if the shapes differ.
    """
    exceeding, held = np.asarray(above, dtype=np.float64), np.asarray(requests, dtype=np.float64)
    if exceeding.ndim != 2 or exceeding.shape != held.shape:
        raise ValueError(
            "both tables of counts must have the same shape, with a row for each execution and a "
            "column for each block of time"
        )
    blocks = exceeding.shape[1]
    if blocks < 2 * SHORTEST or not exceeding.any():
        return None
    share = exceeding.sum(axis=1, keepdims=True) / np.maximum(1, held.sum(axis=1, keepdims=True))
    excess = exceeding - held * share
    cuts = np.arange(SHORTEST, blocks - SHORTEST + 1)
    before = _standardised(excess.sum(axis=0)[None, :], cuts)[0]
    place = int(np.argmax(np.abs(before)))
    shuffled = np.random.default_rng(SEED).permuted(
        np.broadcast_to(excess, (PERMUTATIONS, *excess.shape)), axis=2
    )
    greatest = np.abs(_standardised(shuffled.sum(axis=1), cuts)).max(axis=1)
    as_great = int(np.count_nonzero(greatest >= abs(before[place]) - ROUNDING))
    if (1 + as_great) / (1 + PERMUTATIONS) > LEVEL:
        return None
    return TailChange(int(cuts[place]), bool(before[place] > 0))


def differs(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether a percentile changed by more than the smallest factor that counts. The medians over
    executions before and after the change are compared. False if there are no executions."""
    if not before:
        return False
    ratios = np.log(np.asarray(after) / np.asarray(before))
    return abs(float(np.median(ratios))) >= log(SMALLEST_CHANGE)


def _standardised(rows: FloatArray, cuts: IntArray) -> FloatArray:
    """For each cut, the excess before it divided by the standard deviation of the excess, up to a
    constant factor."""
    count = rows.shape[1]
    found: FloatArray = np.cumsum(rows, axis=1)[:, cuts - 1] / np.sqrt(cuts * (count - cuts))
    return found
