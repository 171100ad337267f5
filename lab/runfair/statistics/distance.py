"""Distances between the distributions of two samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Statistic = Callable[[Counts, Counts], float]

DRAWS = 199
SEED = 20_240_229


def aligned(first: Mapping[Any, int], second: Mapping[Any, int]) -> tuple[Counts, Counts]:
    """The counts of every value in two samples, in the order of the values. A value that occurs in
    only one sample has the count 0 in the other."""
    values = sorted(first.keys() | second.keys())
    return (
        np.array([first.get(value, 0) for value in values], dtype=np.int64),
        np.array([second.get(value, 0) for value in values], dtype=np.int64),
    )


def kolmogorov_smirnov(first: Counts, second: Counts) -> float:
    """The greatest distance between two cumulative distributions; the counts are in the order of
    the values. Raises ValueError if a sample is empty. Source: Smirnov (1939)."""
    gaps = np.cumsum(_shares(first)) - np.cumsum(_shares(second))
    return float(min(1.0, np.abs(gaps).max()))


def total_variation(first: Counts, second: Counts) -> float:
    """The total variation distance: half the sum of the absolute differences of shares. The
    distance is the share of one sample that would have to change to make it equal to the other.
    Raises ValueError if a sample is empty. Source: Levin and Peres, Markov Chains and Mixing Times,
    section 4.1."""
    return float(min(1.0, np.abs(_shares(first) - _shares(second)).sum() / 2))


def rank_total_variation(first: Counts, second: Counts) -> float:
    """The total variation distance of the shares, sorted by size and regardless of the values: the
    most frequent value of one sample is compared with the most frequent value of the other, and so
    on. Raises ValueError if a sample is empty."""
    return total_variation(np.sort(first)[::-1], np.sort(second)[::-1])


def by_chance(
    first: Counts,
    second: Counts,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> float:
    """The upper limit of the distance, with this confidence, between two samples of these sizes
    from the same distribution. The distance is computed by permutations of the observed values, so
    it is also right for ties and small counts.

    The cost is the number of draws times the number of different values. Raises ValueError if a
    sample is empty. Source: Good, Permutation, Parametric and Bootstrap Tests of Hypotheses,
    section 3.
    """
    if not first.sum() or not second.sum():
        raise ValueError("the distance between two samples needs at least one value in each sample")
    pooled = first + second
    split = np.random.default_rng(seed).multivariate_hypergeometric(
        pooled, int(first.sum()), size=draws, method="marginals"
    )
    distances = np.sort([statistic(part, pooled - part) for part in split])
    # A further draw exceeds the k-th of n draws with probability 1 − k/(n + 1).
    return float(distances[min(draws, int(np.ceil(confidence * (draws + 1)))) - 1])


def _shares(counts: Counts) -> npt.NDArray[np.float64]:
    total = counts.sum()
    if total <= 0:
        raise ValueError("a sample without values has no distribution")
    return np.asarray(counts / total, dtype=np.float64)
