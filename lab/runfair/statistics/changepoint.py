"""Changes of mean and variance in a series: PELT on a normal likelihood.

Source: Killick, Fearnhead and Eckley, "Optimal detection of changepoints with a linear
computational cost", JASA 107 (2012). PELT is implemented here because it is a single algorithm, and
a package would be one more compiled dependency.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from runfair.statistics.array import FloatArray, IntArray
from runfair.statistics.blocks import median

AT_ONCE = 300
"""Up to this many values, the costs of all segments are computed at once. This method needs more
memory than pruning, but fewer calls."""


def normal_cost(
    sums: FloatArray,
    square_sums: FloatArray,
    starts: IntArray,
    end: int | IntArray,
    variance_floor: float,
) -> FloatArray:
    """Twice the negative log likelihood of the segments [start, end), without its constant.

    `sums` and `square_sums` are cumulative sums with a leading zero. The variance is the maximum
    likelihood estimate, but at least the floor. Splitting a segment then never costs more than
    keeping it whole, which PELT's pruning requires.
    """
    lengths = end - starts
    means = (sums[end] - sums[starts]) / lengths
    variances = np.maximum((square_sums[end] - square_sums[starts]) / lengths - means * means, 0.0)
    constrained = np.maximum(variances, variance_floor)
    cost: FloatArray = lengths * (np.log(constrained) + variances / constrained)
    return cost


def changepoints(
    values: npt.ArrayLike, *, penalty: float, minimum_segment: int, variance_floor: float
) -> list[int]:
    """The indices at which a new segment begins, in ascending order; empty if nothing changes.

    The segments minimise the sum of their costs plus `penalty` for each change. The minimum is
    exact, over all partitions into segments of at least `minimum_segment` values. `variance_floor`
    (in squared units of `values`) is the smallest variance that the data can show, for instance the
    variance of the clock's steps. The floor must be positive, because constant data would otherwise
    have an infinite likelihood.

    Raises ValueError if an argument is out of range or a value is not finite.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not np.isfinite(series).all():
        raise ValueError("the values must be a one-dimensional array of finite numbers")
    if minimum_segment < 1 or variance_floor <= 0 or penalty < 0:
        raise ValueError(
            "minimum_segment and variance_floor must be positive, and penalty must not be negative"
        )
    count = series.size
    if count < 2 * minimum_segment:
        return []
    # Differences of cumulative squares lose digits unless the series lies around zero.
    series = series - median(series)
    sums, square_sums = np.zeros((2, count + 1))
    np.cumsum(series, out=sums[1:])
    np.cumsum(series * series, out=square_sums[1:])

    search = _at_once if count <= AT_ONCE else _pruned
    previous = search(sums, square_sums, float(penalty), minimum_segment, variance_floor)
    found: list[int] = []
    end = previous[count]
    while end > 0:
        found.append(end)
        end = previous[end]
    return found[::-1]


def _at_once(
    sums: FloatArray,
    square_sums: FloatArray,
    penalty: float,
    minimum_segment: int,
    variance_floor: float,
) -> list[int]:
    """For each prefix of the series, the index at which the last segment of its cheapest
    partition begins."""
    starts, ends = _segments(len(sums) - 1, minimum_segment)
    costs = normal_cost(sums, square_sums, starts, ends, variance_floor)
    before = np.empty(costs.shape[1])  # the cheapest partition before each start
    before[0] = -penalty
    whole = np.empty(costs.shape[0])  # the cheapest partition up to each end
    chosen: list[int] = []
    known = 1
    for place, row in enumerate(costs):
        if place >= minimum_segment:
            before[known] = whole[place - minimum_segment]
            known += 1
        totals = before[:known] + row[:known]
        least = int(totals.argmin())
        whole[place] = totals[least] + penalty
        chosen.append(least)
    found: list[int] = starts[-1, chosen].tolist()
    return [0] * minimum_segment + found


@lru_cache(maxsize=8)
def _segments(count: int, minimum_segment: int) -> tuple[IntArray, IntArray]:
    """The starts of segments, a column each, and their ends, a row each. A segment begins at the
    start of the series or after at least one whole segment. If a segment would be too short, the
    result contains the shortest permitted segment with this end in its place."""
    ends = np.arange(minimum_segment, count + 1)[:, None]
    starts = np.append(0, np.arange(minimum_segment, count - minimum_segment + 1))
    return np.minimum(starts, ends - minimum_segment), ends


def _pruned(
    sums: FloatArray,
    square_sums: FloatArray,
    penalty: float,
    minimum_segment: int,
    variance_floor: float,
) -> list[int]:
    """The same result as that of `_at_once`, computed only from starts that can still be the
    best."""
    count = len(sums) - 1
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(count + 1, dtype=np.int64)
    # A candidate that loses at `end` can never win again once a segment may start at `end`. It is
    # dropped then, not earlier.
    dropped_at = np.full(count + 1, count + 1, dtype=np.int64)
    candidates = np.zeros(1, dtype=np.int64)
    for end in range(minimum_segment, count + 1):
        newest = end - minimum_segment
        if newest >= minimum_segment:
            candidates = np.append(candidates, newest)
        totals = best[candidates] + normal_cost(sums, square_sums, candidates, end, variance_floor)
        choice = int(np.argmin(totals))
        best[end] = totals[choice] + penalty
        previous[end] = candidates[choice]
        beaten = candidates[totals > best[end]]
        if beaten.size:
            dropped_at[beaten] = np.minimum(dropped_at[beaten], end + minimum_segment)
        if dropped_at[candidates].min() <= end + 1:
            candidates = candidates[dropped_at[candidates] > end + 1]
    found: list[int] = previous.tolist()
    return found
