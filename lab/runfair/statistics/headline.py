"""The centre of a figure over its executions, with an interval: the mean of times, the median of
percentiles.

Each execution gives one percentile; the headline is their median, with an interval for the median
of further executions. Pooling all requests would ignore the difference between executions: each
process has its own memory layout, compilation and neighbours. Treadmill (Zhang et al., ISCA 2016,
section 3) treats its load testers in the same way.

Student's t on logs estimates a mean; it fails if a few stalls make the tail, because the executions
then fall into two kinds. The table gives the simulated coverage of the true median by a nominal 95%
interval: p99 of 1,000 correlated lognormal requests with that many stalls of 20 ms an execution,
20,000 repetitions.

    stalls        none            0.5             2               5
    executions    6   10   20     6   10   20     6   10   20     6   10   20
    t on logs     95% 95% 95%     83% 65% 20%     98% 96% 79%     94% 86% 63%
    order         97% 98% 96%     97% 98% 96%     97% 98% 96%     97% 98% 96%

So order statistics are used if there are enough executions (six at 95%), and t on logs otherwise.
Their intervals are 20 to 40% wider on quiet tails, and easy to read: with six executions the
interval is the range from the least to the greatest.

Comparisons need no order statistics: if a service is compared with itself, the differences of pairs
are symmetric, and the paired t errs on the safe side (table in docs/statistics.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.statistics.comparison import CONFIDENCE
from runfair.statistics.log_interval import logs, of_sample
from runfair.statistics.percentile import least_count, ranks


@dataclass(frozen=True)
class Location:
    """A centre with its interval, in the unit of the values. The limits are None for a single
    execution and for identical values."""

    value: float
    low: float | None
    high: float | None
    executions: int


def location(values: npt.ArrayLike, *, confidence: float = 0.95) -> Location:
    """The geometric centre of one value an execution, with a t interval on logs.

    The interval holds for this machine in this run. Two variants whose intervals overlap may still
    differ, because the comparison is paired and this interval is not. Raises ValueError for values
    that are not positive and finite. Source: Georges et al. (OOPSLA 2007), on logs.
    """
    sample = logs(values)
    estimate = of_sample(sample)
    interval = estimate.interval(confidence)
    low, high = interval if interval is not None else (None, None)
    return Location(float(np.exp(estimate.mean)), low, high, sample.size)


Method = Literal["t on logs", "order statistics"]

MEDIAN = 0.5


@dataclass(frozen=True)
class Headline:
    """The median of the executions' percentiles, in their unit. If there is no interval, both
    limits and the method are None, and `reason` says why. An infinite value or limit means an
    execution in which too many requests were never answered to have this percentile."""

    value: float
    low: float | None
    high: float | None
    executions: int
    method: Method | None
    reason: str = ""


def headline(percentiles: npt.ArrayLike, *, confidence: float = CONFIDENCE) -> Headline:
    """The headline of a row of percentiles, one for each execution.

    Raises ValueError for an empty row, or values that are not positive (infinite ones are allowed).
    """
    row = np.sort(np.asarray(percentiles, dtype=np.float64).ravel())
    if row.size == 0 or not (row > 0).all():
        raise ValueError("percentiles must be one non-empty row of positive values")
    middle = float(np.median(row))
    enclosing = ranks(MEDIAN, row.size, confidence=confidence)
    if enclosing.low is not None and enclosing.high is not None:
        low, high = float(row[enclosing.low - 1]), float(row[enclosing.high - 1])
        return Headline(middle, low, high, row.size, "order statistics")
    if np.isfinite(row).all():
        found = of_sample(logs(row)).interval(confidence)
        if found is not None:
            return Headline(middle, *found, row.size, "t on logs")
    needed = least_count(MEDIAN, confidence=confidence)
    reason = f"{_why_too_few(row)}: an interval needs {needed} executions"
    return Headline(middle, None, None, row.size, None, reason)


def _why_too_few(row: npt.NDArray[np.float64]) -> str:
    never = int(np.count_nonzero(np.isinf(row)))
    if never:
        return f"{never} of {row.size} executions never reached this percentile"
    if row.size == 1:
        return "one execution shows no spread"
    return f"{row.size} executions have the same value, so they show no spread"
