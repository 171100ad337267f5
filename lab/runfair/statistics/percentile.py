"""A percentile of one execution's requests, with its distribution-free interval.

How many values lie at or below the true percentile is binomial, whatever the distribution of the
values, so two ranks of the sorted sample enclose it with a known probability (David and Nagaraja,
*Order Statistics*, 3rd edition 2003, section 7.1; Hahn and Meeker, *Statistical Intervals*, 1991,
section 5.2). For latencies, which are skewed and have several modes, nothing else is honest.

Requests of one execution depend on one another: one pause hits all that wait. Where it is known how
many independent requests they are worth, the ranks are those of the effective sample, carried over
to the real one (Korn and Graubard, *Survey Methodology* 24, 1998). The load generator estimates
that number and uses the same method (`loadgen/src/judgement`); this is for values and histograms
that did not come with an interval.
"""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

CONFIDENCE = 0.95

Sides = Literal[1, 2]


@dataclass(frozen=True)
class Ranks:
    """Ranks, from 1, of the sorted sample whose values enclose a percentile; None on a side that
    the sample is too small to bound."""

    low: int | None
    high: int | None


@dataclass(frozen=True)
class PercentileInterval:
    """`value`, `low` and `high` are in the unit of the values given. A missing limit is None, and
    `reason` then says why; it is empty where both stand."""

    value: float
    low: float | None
    high: float | None
    count: int
    reason: str = ""


def label(share: float) -> str:
    """`p99.9` for 0.999."""
    return f"p{float(100 * _exact(share)):g}"


def rank(share: float, count: int) -> int:
    """The rank, from 1, of the percentile among `count` sorted values: the least one that has at
    least this share of them at or below it, as HdrHistogram defines it. `count` is at least 1."""
    if count < 1:
        raise ValueError("a percentile needs at least one value")
    return ceil(_exact(share) * count)


def ranks(share: float, count: int, *, confidence: float = CONFIDENCE) -> Ranks:
    """The ranks that enclose the percentile of `share` (0.99 for p99) with at least `confidence`,
    among `count` independent values. Raises ValueError for a share or confidence outside (0, 1).
    """
    miss = _miss(confidence, 2)
    exact = _exact(share)
    # The upper rank is counted from the other end, where its binomial tail is small.
    above = _greatest_safe_rank(count, float(1 - exact), miss)
    return Ranks(
        low=_greatest_safe_rank(count, float(exact), miss) or None,
        high=count - above + 1 if above else None,
    )


def ranks_of_dependent(
    share: float, count: int, effective_count: float, *, confidence: float = CONFIDENCE
) -> Ranks:
    """As `ranks`, for `count` values worth `effective_count` independent ones (at most `count`).

    The percentile lies below the effective rank `low` when no more than `low - 1` effective values
    do, which is (low - 1) · count / effective_count real ones; the same from above.
    """
    if not 0 <= effective_count <= count:
        raise ValueError("values are worth no fewer than 0 independent ones and no more than all")
    whole = floor(effective_count)
    enclosing = ranks(share, whole, confidence=confidence)
    if whole == count or enclosing == Ranks(None, None):
        return enclosing
    each = count / effective_count
    low, high = enclosing.low, enclosing.high
    return Ranks(
        low=None if low is None else min(floor((low - 1) * each) + 1, count),
        high=None if high is None else min(ceil(high * each), count),
    )


def least_count(share: float, *, confidence: float = CONFIDENCE, sides: Sides = 2) -> int:
    """The fewest independent values that bound the percentile: from above (`sides` 1) or from both
    sides (2). At 95%, p99.99 needs 29,956 and 36,887.

    All of n values lie below the percentile with probability share^n, all above it with
    (1 - share)^n; both must be no more than what the confidence leaves.
    """
    exact = _exact(share)
    likelier = exact if sides == 1 else max(exact, 1 - exact)
    return ceil(log(_miss(confidence, sides)) / log(likelier))


def of_values(
    values: npt.ArrayLike,
    share: float,
    *,
    effective_count: float | None = None,
    confidence: float = CONFIDENCE,
) -> PercentileInterval:
    """The percentile of one non-empty row of values. Raises ValueError for an empty row or NaN;
    an infinite value is one that never came, and sorts last."""
    row = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if row.size == 0 or np.isnan(row[-1]):
        raise ValueError("a percentile needs at least one value, and none may be NaN")
    return _interval(row, row, np.arange(1, row.size + 1), share, effective_count, confidence)


def of_histogram(
    least: npt.ArrayLike,
    greatest: npt.ArrayLike,
    counts: npt.ArrayLike,
    share: float,
    *,
    effective_count: float | None = None,
    confidence: float = CONFIDENCE,
) -> PercentileInterval:
    """The percentile of a histogram: the ends and the counts of its cells, in rising order.

    The value is the upper end of its cell, as HdrHistogram gives it; the limits take the outer ends
    of theirs, so that the cells' width never narrows the interval. Raises ValueError for unequal
    lengths, negative counts, or where nothing was counted.
    """
    lower, upper = (np.asarray(ends, dtype=np.float64) for ends in (least, greatest))
    cells = np.asarray(counts, dtype=np.int64)
    if not lower.shape == upper.shape == cells.shape:
        raise ValueError("each cell has two ends and a count: the lengths differ")
    if cells.size == 0 or cells.min() < 0 or cells.sum() == 0:
        raise ValueError("a percentile needs a histogram that counted something")
    return _interval(lower, upper, np.cumsum(cells), share, effective_count, confidence)


def _interval(
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    cumulative: npt.NDArray[np.int64],
    share: float,
    effective_count: float | None,
    confidence: float,
) -> PercentileInterval:
    count = int(cumulative[-1])
    worth = float(count) if effective_count is None else effective_count
    enclosing = ranks_of_dependent(share, count, worth, confidence=confidence)

    def cell(at: int) -> int:
        return int(np.searchsorted(cumulative, at))

    return PercentileInterval(
        value=float(upper[cell(rank(share, count))]),
        low=None if enclosing.low is None else float(lower[cell(enclosing.low)]),
        high=None if enclosing.high is None else float(upper[cell(enclosing.high)]),
        count=count,
        reason=_reason(share, count, worth, confidence, enclosing),
    )


def _reason(share: float, count: int, worth: float, confidence: float, found: Ranks) -> str:
    if found.low is not None and found.high is not None:
        return ""
    needed = f"{label(share)} needs {least_count(share, confidence=confidence):,}"
    if worth < count:
        return f"too few requests: {count:,} (effective sample size {worth:,.0f}); {needed}"
    return f"too few requests: {count:,}; {needed}"


def _greatest_safe_rank(count: int, probability: float, miss: float) -> int:
    """The greatest rank l with P(X < l) <= miss, X binomial; 0 where there is none."""
    return bisect_right(range(count), miss, key=lambda k: float(bdtr(k, count, probability)))


def _miss(confidence: float, sides: Sides) -> float:
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    # In decimals, as it was stated: (1 - 0.95) / 2 in binary would be a little below 0.025.
    return float((1 - Fraction(repr(float(confidence)))) / sides)


def _exact(share: float) -> Fraction:
    """The share as it is written: 0.999 of 1,000 values is rank 999 and not, by a last binary
    digit, 1,000."""
    if not 0 < share < 1:
        raise ValueError(f"a percentile's share lies between 0 and 1, not {share}")
    return Fraction(repr(float(share)))
