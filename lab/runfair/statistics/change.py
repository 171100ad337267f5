"""Whether a figure became worse by more than an allowed change: the test behind a gate.

A change counts only if it is established to lie *beyond the limit*: the null hypothesis is a ratio
of at most 1 + limit. It is not enough that the difference is significant and the estimate lies
above the limit. Noisier figures therefore give fewer findings, and a gate on unchanged figures
raises false alarms no more often than its significance level. The p values of regressions are
corrected by Holm's method over all compared figures; the p values of improvements are corrected in
the same way, separately.

If a doubt bounds a figure, the test uses the bounds: the lowest possible value of each later
execution, divided by the highest possible value of each earlier execution. If a bound is missing,
no change is established. A doubt can therefore remove a finding, but never add one.

The table gives the share of comparisons that report at least one regression. The table was
simulated with 36 figures that did not change, 6 executions a side, 1.5% standard deviation between
processes, and 3,000 repetitions. `run` is the standard deviation of a shift that affects the whole
second run. The executions of the second run cannot show such a shift, because it affects all of
them alike:

    limit     none     1%      3%
    run 0     3.9%    0.1%    0.0%
    run 1%     19%    4.0%    0.0%
    run 2%     30%     16%    2.8%

With a limit of 3%, a single figure that became slower by 5%, 7% or 10% is found in 9%, 59% and over
99% of the comparisons. Of the unchanged figures, 71% are reported as within the limit.

Sources: Schuirmann (1987) for tests against a limit other than no difference at all; Holm (1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr

from runfair.statistics.comparison import CONFIDENCE, Ratio, holm

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Doubt:
    """A ratio of figures about which there are doubts. `bounds` are the bounds of the ratio; a
    bound is None if that side is open. `least` and `most` are the least and the greatest ratio that
    the bounds of the single executions allow. Both ratios are None if one of the executions' bounds
    is open."""

    bounds: Bounds
    least: Ratio | None
    most: Ratio | None


Change = Literal["regression", "improvement", "within", "unclear"]
"""`within`: the whole interval lies within the limit, upwards and downwards. `unclear`: neither a
change nor its absence is established, because the executions are too few or differ too much."""


@dataclass(frozen=True)
class Compared:
    """The later value of a figure divided by its earlier value. `limit` is the allowed change as a
    fraction: 0.03 for 3%. `arrangements` is the number of orders of the values that are equally
    likely if nothing changed. It is needed to test figures without any spread, such as a peak of
    memory that is always equal. `better` is the direction of an improvement. `doubt` is None if the
    figure has no bounds."""

    ratio: Ratio
    limit: float
    arrangements: int
    better: Literal["lower", "higher"] = "lower"
    doubt: Doubt | None = None


def changes(compared: Sequence[Compared]) -> list[Change]:
    """The change of each figure, in the given order. Raises ValueError if a limit is negative."""
    level = 1 - CONFIDENCE
    worsening = [1 if one.better == "lower" else -1 for one in compared]
    worse = holm([_p_beyond(one, sign) for one, sign in zip(compared, worsening, strict=True)])
    better = holm([_p_beyond(one, -sign) for one, sign in zip(compared, worsening, strict=True)])
    return [
        "regression"
        if up is not None and up <= level
        else "improvement"
        if down is not None and down <= level
        else "within"
        if _within(one)
        else "unclear"
        for one, up, down in zip(compared, worse, better, strict=True)
    ]


def _p_beyond(one: Compared, sign: int) -> float:
    """The one-sided p value against the hypothesis that the ratio lies within the limit. The
    direction is upwards (1) or downwards (-1)."""
    if one.limit < 0:
        raise ValueError("the limit (the allowed change as a fraction) must not be negative")
    ratio = one.ratio
    if one.doubt is not None:
        end = one.doubt.bounds[0] if sign > 0 else one.doubt.bounds[1]
        limit = one.doubt.least if sign > 0 else one.doubt.most
        if limit is None or end is None or _beyond(end, one.limit, sign) <= 0:
            return 1.0
        ratio = limit
    beyond = _beyond(ratio.value, one.limit, sign)
    if ratio.log_standard_error > 0:
        return float(stdtr(ratio.degrees_of_freedom, -beyond / ratio.log_standard_error))
    return 1 / one.arrangements if beyond > 0 else 1.0


def _beyond(ratio: float, limit: float, sign: int) -> float:
    """The distance by which the ratio lies beyond the limit, as a logarithm."""
    return sign * float(np.log(ratio)) - float(np.log1p(limit))


def p_difference(ratio: Ratio, doubt: Doubt | None) -> float | None:
    """The two-sided p value against a ratio of 1. If there are doubts, it is computed for the
    possible ratio that is nearest to 1. None if the ratio has no spread."""
    if ratio.p is None or doubt is None:
        return ratio.p
    one = Compared(ratio, limit=0.0, arrangements=1, doubt=doubt)
    return min(1.0, 2 * min(_p_beyond(one, 1), _p_beyond(one, -1)))


def _within(one: Compared) -> bool:
    low, high = one.ratio.low, one.ratio.high
    if one.doubt is not None:
        low, high = one.doubt.bounds
        if low is None or high is None:
            return False
    elif low is None or high is None:
        low = high = one.ratio.value
        if one.arrangements * (1 - CONFIDENCE) < 1:
            return False
    return 1 / (1 + one.limit) <= low and high <= 1 + one.limit
