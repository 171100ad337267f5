"""The confidence interval of a proportion that is estimated from a sample.

Wilson's score interval (Wilson, "Probable inference, the law of succession, and statistical
inference", JASA 1927; recommended by Brown, Cai, DasGupta, "Interval estimation for a binomial
proportion", Statistical Science 2001): the interval is also valid near 0 and 1, where few samples
fall.
"""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959964  # the normal distribution's 97.5% quantile


def score_interval(hits: int, count: int) -> tuple[float, float]:
    """The 95% confidence limits of a share, estimated from `hits` of `count` independent samples.
    Raises ValueError unless 0 ≤ hits ≤ count and count > 0."""
    if not 0 <= hits <= count or count == 0:
        raise ValueError(f"{hits} of {count} is no share")
    square = Z_95 * Z_95
    share = hits / count
    centre = (share + square / (2 * count)) / (1 + square / count)
    half_width = (Z_95 * sqrt(share * (1 - share) / count + square / (4 * count * count))) / (
        1 + square / count
    )
    return max(0.0, centre - half_width), min(1.0, centre + half_width)
