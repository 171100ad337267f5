"""The middle of paired differences, with a confidence interval. A few disturbed pairs do not widen
the interval.

Source: Hollander and Wolfe, *Nonparametric Statistical Methods* (1999), sections 3.2 and 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEAST_PAIRS = 6
"""The least number of differences. With five, even the widest interval covers less than 95%: 1 − 2
· 2⁻⁵ is 93.75%."""


@dataclass(frozen=True)
class Middle:
    """The middle of differences, in their unit, with its limits at 95% confidence."""

    value: float
    low: float
    high: float


def middle(differences: npt.ArrayLike) -> Middle:
    """Hodges and Lehmann's estimate (the median of the means of all pairs), and the exact
    confidence interval by Wilcoxon's signed ranks. Raises ValueError if there are fewer than six
    differences, or if a difference is not finite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or values.size < LEAST_PAIRS or not np.isfinite(values).all():
        raise ValueError(f"differences must be one row of at least {LEAST_PAIRS} finite numbers")
    first, second = np.triu_indices(values.size)
    means = np.sort((values[first] + values[second]) / 2)
    left_out = _left_out(values.size)
    return Middle(float(np.median(means)), float(means[left_out]), float(means[-1 - left_out]))


def _left_out(count: int) -> int:
    """The number of means outside the interval on each side. The number is computed from the exact
    distribution of the sum of positive ranks, where each rank is positive with probability one
    half.
    """
    probability = np.ones(1)
    for rank in range(1, count + 1):
        positive = np.concatenate([np.zeros(rank), probability])
        probability = (np.concatenate([probability, np.zeros(rank)]) + positive) / 2
    return int(np.searchsorted(np.cumsum(probability), 0.025, side="right")) - 1
