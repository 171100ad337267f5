"""Whether a figure became worse than before by more than is allowed: what a gate stands on.

A change counts where it is established *beyond the limit*, not merely where a difference is
established and looks large: the null hypothesis is a ratio of at most 1 + limit. So the noisier the
figures, the less is established, and a gate on figures that did not change errs at most as often as
it says. Regressions are corrected by Holm over all figures compared, and so are improvements.

Where a doubt bounds a figure, that it became worse is tested on the ratio of the least that each
execution after can truly have been, by the most of each one before; where nothing bounds one of
them, it is not established. So a doubt can only take away from what is established.

Comparisons with any regression among 36 figures of which nothing changed, 6 executions a side, 1.5%
between processes, 3,000 repetitions; `run` is the standard deviation of what moves the second run
as a whole, and no execution can tell:

    limit     none     1%      3%
    run 0     3.9%    0.1%    0.0%
    run 1%     19%    4.0%    0.0%
    run 2%     30%     16%    2.8%

Behind a limit of 3%, one figure among them that became slower by 5%, 7% or 10% is found in 9%, 59%
and over 99%; 71% of those that did not change are told to lie within it.

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
    """What doubts leave of a ratio. `bounds`: between what it lies, None on an open side. `least`
    and `most` are the ratios of the executions' limits, None if one of these is open."""

    bounds: Bounds
    least: Ratio | None
    most: Ratio | None


Change = Literal["regression", "improvement", "within", "unclear"]
"""`within`: the whole interval lies within the limit, both ways. `unclear`: neither that nor a
change is established; the executions are too few, or too unlike."""


@dataclass(frozen=True)
class Compared:
    """A figure after / before. `limit` is the change allowed, a fraction: 0.03 for 3%.
    `arrangements` is in how many ways, equally likely if nothing had changed, the values could have
    fallen: it judges what has no spread, such as a peak of memory that is the same every time.
    `better` is the direction of an improvement. `doubt` is None for a figure without bounds."""

    ratio: Ratio
    limit: float
    arrangements: int
    better: Literal["lower", "higher"] = "lower"
    doubt: Doubt | None = None


def changes(compared: Sequence[Compared], *, level: float = 1 - CONFIDENCE) -> list[Change]:
    """One word for each, in the order given. Raises ValueError for a negative limit."""
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
    """The one-sided p against a ratio within the limit, upwards (1) or downwards (-1)."""
    if one.limit < 0:
        raise ValueError("a limit is not negative")
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
    """How far it lies beyond the limit, as a logarithm."""
    return sign * float(np.log(ratio)) - float(np.log1p(limit))


def p_difference(ratio: Ratio, doubt: Doubt | None) -> float | None:
    """The two-sided p against a ratio of 1, less all doubts. None if the ratio has no spread to
    judge it by."""
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
