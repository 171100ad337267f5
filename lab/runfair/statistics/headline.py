"""The centre of a figure over its executions, with a confidence interval. The centre of times is
their mean, and the centre of percentiles is their median.

Each execution gives one value of a percentile. The headline is the median of these values, with a
confidence interval for the median of further executions. If all requests were pooled, the
differences between executions would be ignored: each process has its own memory layout, compilation
and neighbouring processes. Treadmill (Zhang et al., ISCA 2016, section 3) also takes each load
tester's percentile before it combines them.

Student's t on logarithms estimates a mean. Student's t fails if a few stalls determine the tail,
because there are then two kinds of executions: with and without a stall. The table gives the
simulated coverage of the true median by a nominal 95% interval. The figure is the p99 of 1,000
correlated lognormal requests; `stalls` is the mean number of stalls of 20 ms in an execution. The
simulation had 20,000 repetitions.

    stalls        none            0.5             2               5
    executions    6   10   20     6   10   20     6   10   20     6   10   20
    t on logs     95% 95% 95%     83% 65% 20%     98% 96% 79%     94% 86% 63%
    order         97% 98% 96%     97% 98% 96%     97% 98% 96%     97% 98% 96%

Order statistics are therefore used if there are enough executions (six at 95%), otherwise t on
logarithms. Intervals from order statistics are 20 to 40% wider if the tail has no stalls. Intervals
from order statistics are easy to read: with six executions, the interval is the range from the
least to the greatest value.

Percentiles are read from histograms, so executions whose percentiles differ by less than a cell of
the histogram may have equal values. The standard deviation of n values within a cell of width w is
at most w/2 sqrt(n / (n - 1)), with half of the values at each end of the cell. The t interval uses
at least this standard deviation. Two equal values therefore have an interval of ±0.6%.

Comparisons need no order statistics: if a service is compared with itself, the differences of pairs
are symmetric, and the paired t interval is conservative (table in docs/statistics.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from runfair.statistics.array import FloatArray
from runfair.statistics.blocks import median
from runfair.statistics.comparison import CONFIDENCE
from runfair.statistics.log_interval import ROUNDING, LogEstimate, logs, of_sample
from runfair.statistics.percentile import least_count, ranks


@dataclass(frozen=True)
class Location:
    """A centre with its confidence interval, in the unit of the values. The limits are None if
    there is a single execution or if all values are equal."""

    value: float
    low: float | None
    high: float | None
    executions: int


def location(values: npt.ArrayLike) -> Location:
    """The geometric mean of the executions' values, with a t interval on logarithms.

    The interval is valid for this machine in this run. Two variants may differ although their
    intervals overlap, because the comparison is paired and this interval is not. Raises ValueError
    if a value is not positive and finite. Source: Georges et al. (OOPSLA 2007), here on logarithms.
    """
    sample = logs(values)
    estimate = of_sample(sample)
    interval = estimate.interval(CONFIDENCE)
    low, high = interval if interval is not None else (None, None)
    return Location(float(np.exp(estimate.mean)), low, high, sample.size)


Method = Literal["t on logs", "order statistics", "t"]

MEDIAN = 0.5

CELLS = 1024
"""A cell of a histogram with three significant digits is at most 1/1024 of its value wide. Values
below twice this number are counted exactly, as whole numbers."""


@dataclass(frozen=True)
class Headline:
    """The median of the executions' percentiles, in their unit. If there is no interval, both
    limits and the method are None, and `reason` says why. A value or limit is infinite if an
    execution has no such percentile, because too many of its requests were never answered."""

    value: float
    low: float | None
    high: float | None
    executions: int
    method: Method | None
    reason: str = ""


def headline(percentiles: npt.ArrayLike) -> Headline:
    """The headline of a row of percentiles, one for each execution.

    Raises ValueError if the row is empty or a value is not positive (infinite values are
    allowed).
    """
    row = np.sort(np.asarray(percentiles, dtype=np.float64).ravel())
    if row.size == 0 or not (row > 0).all():
        raise ValueError(
            "the percentiles must be a non-empty, one-dimensional array of positive values"
        )
    middle = median(row)
    enclosing = ranks(MEDIAN, row.size)
    if enclosing.low is not None and enclosing.high is not None:
        low, high = float(row[enclosing.low - 1]), float(row[enclosing.high - 1])
        return Headline(middle, low, high, row.size, "order statistics")
    if np.isfinite(row).all():
        found = _within_cells(row, of_sample(logs(row))).interval(CONFIDENCE)
        if found is not None:
            return Headline(middle, *found, row.size, "t on logs")
    needed = least_count(MEDIAN)
    reason = f"{_why_too_few(row)}; a confidence interval needs {needed} executions"
    return Headline(middle, None, None, row.size, None, reason)


def share(values: npt.ArrayLike) -> Headline:
    """The mean of shares, with Student's t interval, which is cut at 0. On logarithms, the smallest
    shares would decide, and a share of 0 has no logarithm. A share may exceed 1.

    Raises ValueError if the row is empty or a value is negative or not finite.
    """
    row = np.asarray(values, dtype=np.float64).ravel()
    if row.size == 0 or not (np.isfinite(row) & (row >= 0)).all():
        raise ValueError("shares must be a non-empty row of finite values that are not negative")
    middle = float(row.mean())
    spread = float(row.std(ddof=1)) if row.size > 1 else 0.0
    if spread <= ROUNDING:
        return Headline(middle, None, None, row.size, None, _why_too_few(row))
    half = float(stdtrit(row.size - 1, (1 + CONFIDENCE) / 2)) * spread / sqrt(row.size)
    return Headline(middle, max(0.0, middle - half), middle + half, row.size, "t")


def _within_cells(row: FloatArray, estimate: LogEstimate) -> LogEstimate:
    """The estimate with at least the greatest standard error that cells can hide."""
    if row.size == 1 or row[0] < 2 * CELLS:
        return estimate
    hidden = 1 / CELLS / 2 / sqrt(row.size - 1)
    return replace(estimate, standard_error=max(estimate.standard_error, hidden))


def _why_too_few(row: FloatArray) -> str:
    never = int(np.count_nonzero(np.isinf(row)))
    if never:
        return (
            f"in {never} of {row.size} executions so many requests failed that the percentile "
            "falls on a failed request, which has no latency"
        )
    if row.size == 1:
        return "a single execution does not show how much executions differ"
    return (
        f"{row.size} executions have the same value, so they do not show how much executions differ"
    )
