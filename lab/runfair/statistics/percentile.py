"""A percentile of one execution's requests, with its distribution-free interval.

The number of values at or below the true percentile is binomial, whatever the distribution of the
values. So two ranks of the sorted sample enclose it with a known probability (David and Nagaraja,
*Order Statistics*, 3rd edition 2003, section 7.1; Hahn and Meeker, *Statistical Intervals*, 1991,
section 5.2). Latencies are skewed and have several modes, so methods that assume a distribution do
not apply.

Requests of one execution are autocorrelated, because a pause delays all that wait: `dependence`
gives their effective sample size. The load generator computes the intervals of a whole load by the
same method (`loadgen/src/judgement`); this module serves values without such an interval.
"""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Literal

from scipy.special import bdtr

CONFIDENCE = 0.95

Sides = Literal[1, 2]


@dataclass(frozen=True)
class Ranks:
    """The ranks, from 1, of the two sorted values that enclose a percentile; None on a side that
    the sample is too small to bound."""

    low: int | None
    high: int | None


def label(share: float) -> str:
    """The name of a percentile: `p99.9` for 0.999."""
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


def least_count(share: float, *, confidence: float = CONFIDENCE, sides: Sides = 2) -> int:
    """The fewest independent values that bound the percentile: from above (`sides` 1) or from both
    sides (2). At 95%, p99.99 needs 29,956 and 36,887.

    All of n values lie below the percentile with probability share^n, all above it with (1 -
    share)^n; both must be at most 1 - confidence.
    """
    exact = _exact(share)
    likelier = exact if sides == 1 else max(exact, 1 - exact)
    return ceil(log(_miss(confidence, sides)) / log(likelier))


def _greatest_safe_rank(count: int, probability: float, miss: float) -> int:
    """The greatest rank l with P(X < l) <= miss, X binomial; 0 if there is none."""
    return bisect_right(range(count), miss, key=lambda k: float(bdtr(k, count, probability)))


def _miss(confidence: float, sides: Sides) -> float:
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    # As a decimal: (1 - 0.95) / 2 in binary would be a little below 0.025.
    return float((1 - Fraction(repr(float(confidence)))) / sides)


def _exact(share: float) -> Fraction:
    """The share as an exact decimal: 0.999 of 1,000 values is rank 999; binary rounding would give
    1,000."""
    if not 0 < share < 1:
        raise ValueError(f"a percentile's share lies between 0 and 1, not {share}")
    return Fraction(repr(float(share)))
