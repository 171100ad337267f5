"""The middle of paired differences, with an interval that a few disturbed pairs do not widen.

Source: Hollander and Wolfe, *Nonparametric Statistical Methods* (1999), sections 3.2 and 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEAST_PAIRS = 6
"""Below this even the widest interval covers less than 95%: 1 − 2 · 2⁻⁵ is 93.75%."""


@dataclass(frozen=True)
class Middle:
    """Of differences, in their unit; the limits hold it with 95% confidence."""

    value: float
    low: float
    high: float


def middle(differences: npt.ArrayLike) -> Middle:
    """Hodges and Lehmann's estimate, the median of all means of two, and the interval of Wilcoxon's
    signed ranks, by their exact distribution.

    Raises ValueError for fewer than six differences, or one that is not finite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or values.size < LEAST_PAIRS or not np.isfinite(values).all():
        raise ValueError(f"differences must be one row of at least {LEAST_PAIRS} finite numbers")
    first, second = np.triu_indices(values.size)
    means = np.sort((values[first] + values[second]) / 2)
    left_out = _left_out(values.size)
    return Middle(float(np.median(means)), float(means[left_out]), float(means[-1 - left_out]))


def _left_out(count: int) -> int:
    """How many means lie outside the interval on each side: the greatest sum of ranks that is
    exceeded with 97.5%, each rank being positive with one half."""
    probability = np.ones(1)
    for rank in range(1, count + 1):
        positive = np.concatenate([np.zeros(rank), probability])
        probability = (np.concatenate([probability, np.zeros(rank)]) + positive) / 2
    return int(np.searchsorted(np.cumsum(probability), 0.025, side="right")) - 1
