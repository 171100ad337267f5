"""A percentile of one execution's requests with its distribution-free interval, and a proportion
with its confidence interval.

The number of values at or below the true percentile is binomial, whatever the distribution of the
values. Two ranks of the sorted sample therefore enclose the true percentile with a known
probability (David and Nagaraja, *Order Statistics*, 3rd edition 2003, section 7.1; Hahn and Meeker,
*Statistical Intervals*, 1991, section 5.2). Latencies are skewed and have several modes, so methods
that assume a distribution do not apply.

The requests of one execution are autocorrelated, because a pause delays all requests that wait. The
module `dependence` computes their effective sample size. The load generator computes the intervals
of a whole load by the same method (`loadgen/src/judgement`); this module is for values that have no
interval from the generator.

The interval of a proportion is Wilson's score interval (Wilson, "Probable inference, the law of
succession, and statistical inference", JASA 1927; recommended by Brown, Cai, DasGupta, "Interval
estimation for a binomial proportion", Statistical Science 2001): the interval is also valid near 0
and 1, where few samples fall.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, sqrt
from typing import Literal

from scipy.special import bdtr

Z_95 = 1.959964  # the normal distribution's 97.5% quantile


def score_interval(hits: int, count: int) -> tuple[float, float]:
    """The 95% confidence limits of a share, estimated from `hits` of `count` independent samples.
    Raises ValueError unless 0 ≤ hits ≤ count and count > 0."""
    if not 0 <= hits <= count or count == 0:
        raise ValueError(f"{hits} of {count} is not a valid share")
    square = Z_95 * Z_95
    share = hits / count
    centre = (share + square / (2 * count)) / (1 + square / count)
    half_width = (Z_95 * sqrt(share * (1 - share) / count + square / (4 * count * count))) / (
        1 + square / count
    )
    return max(0.0, centre - half_width), min(1.0, centre + half_width)


CONFIDENCE = 0.95

Sides = Literal[1, 2]


@dataclass(frozen=True)
class Ranks:
    """The ranks (from 1) of the two sorted values that enclose a percentile. A rank is None if the
    sample is too small for a limit on this side."""

    low: int | None
    high: int | None


def label(share: float) -> str:
    """The name of a percentile: `p99.9` for 0.999."""
    return f"p{float(100 * _exact(share)):g}"


def rank(share: float, count: int) -> int:
    """The rank (from 1) of the percentile among `count` sorted values. As in HdrHistogram, it is
    the least rank with at least this share of the values at or below it. `count` is at least 1."""
    if count < 1:
        raise ValueError("a percentile needs at least one value")
    return ceil(_exact(share) * count)


@lru_cache(maxsize=1024)
def ranks(share: float, count: int, *, confidence: float = CONFIDENCE) -> Ranks:
    """The ranks that enclose the percentile of `share` (0.99 for p99) with at least `confidence`,
    among `count` independent values. Raises ValueError if the share or the confidence is outside
    (0, 1).
    """
    miss = _miss(confidence, 2)
    exact = _exact(share)
    # The upper rank is counted from the upper end, where its binomial tail probability is small.
    above = _greatest_safe_rank(count, float(1 - exact), miss)
    return Ranks(
        low=_greatest_safe_rank(count, float(exact), miss) or None,
        high=count - above + 1 if above else None,
    )


def least_count(share: float, *, confidence: float = CONFIDENCE, sides: Sides = 2) -> int:
    """The least number of independent values that bound the percentile, from above (`sides` = 1) or
    from both sides (`sides` = 2). At 95%, p99.99 needs 29,956 values for one side and 36,887 for
    both.

    All of n values lie below the percentile with probability share^n, and all lie above it with
    probability (1 - share)^n. For a limit on one side, the first probability must be at most 1 -
    confidence. For limits on both sides, each of the two probabilities must be at most half of 1 -
    confidence.
    """
    exact = _exact(share)
    likelier = exact if sides == 1 else max(exact, 1 - exact)
    return ceil(log(_miss(confidence, sides)) / log(likelier))


def _greatest_safe_rank(count: int, probability: float, miss: float) -> int:
    """The greatest rank l with P(X < l) <= miss, where X is binomial; 0 if there is no such
    rank."""
    return bisect_right(range(count), miss, key=lambda k: float(bdtr(k, count, probability)))


def _miss(confidence: float, sides: Sides) -> float:
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    # Computed as a decimal, because (1 - 0.95) / 2 in binary is a little below 0.025.
    return float((1 - Fraction(repr(float(confidence)))) / sides)


def _exact(share: float) -> Fraction:
    """The share as an exact decimal number: 0.999 of 1,000 values is rank 999, but binary rounding
    would give rank 1,000."""
    if not 0 < share < 1:
        raise ValueError(
            f"a percentile must be given as a fraction between 0 and 1, not as {share}"
        )
    return Fraction(repr(float(share)))
