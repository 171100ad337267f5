"""Student's t intervals on logarithms, used by every figure with more than one execution.

Times are positive, and their noise is multiplicative. On logarithms a ratio is a difference. The
interval of a ratio never reaches zero, and is inverted if the two sides are exchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from runfair.statistics.array import FloatArray
from runfair.statistics.blocks import mean

ROUNDING = 1e-12
"""Logarithms of durations from nanoseconds to years are exact to about 1e-14. A smaller spread is a
rounding error, not noise."""


def logs(values: npt.ArrayLike) -> FloatArray:
    """The natural logarithms of a non-empty row. Raises ValueError if a value is not positive and
    finite."""
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or row.size == 0:
        raise ValueError("values must be one non-empty row")
    if not np.isfinite(row).all() or row.min() <= 0:
        raise ValueError("values must be positive and finite")
    return np.log(row)


WIDEST = 10.0
"""The greatest ratio of upper to lower end of an interval that is shown. With two executions t is
12.7, so a difference of 13% between them already exceeds this ratio."""


def telling(low: float | None, high: float | None) -> tuple[float, float] | None:
    """The limits of a t interval. None if there is no interval, or if its limits are so far apart
    that it only shows the need for more executions."""
    if low is None or high is None or high > WIDEST * low:
        return None
    return low, high


@dataclass(frozen=True)
class LogEstimate:
    """A mean on the log scale, with its standard error (0 if unknown) and its degrees of
    freedom."""

    mean: float
    standard_error: float
    degrees_of_freedom: float

    @property
    def has_spread(self) -> bool:
        return self.degrees_of_freedom > 0 and self.standard_error > ROUNDING

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """The confidence limits on the original scale; None if the spread is unknown."""
        if not 0 < confidence < 1:
            raise ValueError("confidence must lie between 0 and 1")
        if not self.has_spread:
            return None
        half = float(stdtrit(self.degrees_of_freedom, (1 + confidence) / 2)) * self.standard_error
        return float(np.exp(self.mean - half)), float(np.exp(self.mean + half))

    def p_value(self) -> float | None:
        """The two-sided p value against a true value of 1 on the original scale."""
        if not self.has_spread:
            return None
        return float(2 * stdtr(self.degrees_of_freedom, -abs(self.mean) / self.standard_error))


def of_sample(sample: FloatArray) -> LogEstimate:
    """The mean of independent logarithms."""
    count, middle = sample.size, mean(sample)
    if count == 1:
        return LogEstimate(middle, 0.0, 0.0)
    deviations = sample - middle
    variance = float(np.add.reduce(deviations * deviations)) / (count - 1)
    return LogEstimate(middle, sqrt(variance) / sqrt(count), count - 1)


def combined(mean: float, parts: Sequence[LogEstimate]) -> LogEstimate:
    """An estimate with this `mean`, whose variance is the sum of the variances of independent
    parts.

    The degrees of freedom are computed by the formula of Welch and Satterthwaite (Welch, Biometrika
    34, 1947).
    """
    variances = [part.standard_error**2 for part in parts]
    weights = sum(
        variance**2 / part.degrees_of_freedom
        for variance, part in zip(variances, parts, strict=True)
        if part.degrees_of_freedom > 0
    )
    if min(part.degrees_of_freedom for part in parts) <= 0 or weights == 0:
        return LogEstimate(mean, 0.0, 0.0)
    return LogEstimate(mean, float(np.sqrt(sum(variances))), sum(variances) ** 2 / weights)
