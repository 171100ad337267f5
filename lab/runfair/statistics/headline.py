"""A figure over its executions: a mean of times, a median of percentiles, with an interval.

Each execution gives one percentile; the headline is their median, with an interval for the median
that further executions would bring. Pooled requests would say how many were sent, not how far
executions differ: one process meets its own memory layout, compilation and neighbours. Treadmill
(Zhang et al., ISCA 2016, section 3) does the same with its load testers.

Student's t on logs speaks of a mean, and a tail made by a handful of stalls puts the executions
into two kinds. Simulated coverage of the true median by a nominal 95% interval, p99 of 1,000
correlated lognormal requests with that many stalls of 20 ms an execution, 20,000 repetitions:

    stalls        none            0.5             2               5
    executions    6   10   20     6   10   20     6   10   20     6   10   20
    t on logs     95% 95% 95%     83% 65% 20%     98% 96% 79%     94% 86% 63%
    order         97% 98% 96%     97% 98% 96%     97% 98% 96%     97% 98% 96%

So order statistics serve wherever there are executions enough for them, six at 95%, and t on logs
only below. They are 20 to 40% wider on quiet tails, and easy to read: with six executions the
interval is the range from the least to the greatest.

A comparison is spared this: if a service is compared with itself, the differences of pairs are
symmetric, and the paired t errs on the safe side (docs/statistics.md has the table).
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
    """A centre with its interval, in the unit of the values. The limits are None if no spread was
    seen: for a single execution, or for identical values."""

    value: float
    low: float | None
    high: float | None
    executions: int


def location(values: npt.ArrayLike, *, confidence: float = 0.95) -> Location:
    """The geometric centre of one value an execution, with a t interval on logs.

    The interval is for this machine in this run: two variants whose intervals overlap may well
    differ, since the comparison is paired and this is not. Raises ValueError for values that are
    not positive and finite. Source: Georges et al. (OOPSLA 2007), on logs.
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
    """The median of the executions' percentiles, in their unit. Where no interval can be given both
    limits and the method are None, and `reason` says why; an infinite value or limit is an
    execution that never answered so large a share of its requests."""

    value: float
    low: float | None
    high: float | None
    executions: int
    method: Method | None
    reason: str = ""


def headline(percentiles: npt.ArrayLike, *, confidence: float = CONFIDENCE) -> Headline:
    """The headline of one row of percentiles, one an execution.

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
    return f"{row.size} executions with one and the same value"
