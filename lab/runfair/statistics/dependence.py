"""The effective sample size of a load: the number of independent requests that would give the same
precision.

A pause delays every request that waits, so requests are autocorrelated. A percentile is therefore
less precise than the number of requests suggests. The load's intervals are the clusters of a
cluster sample. The number of requests above the percentile varies from interval to interval; this
variance, divided by the variance that independent requests would have, is the design effect (Rao
and Scott, "A simple method for the analysis of clustered binary data", Biometrics 48, 1992). The
effective sample size is the number of requests divided by the design effect.

Dependence over more than an interval is found by merging neighbouring intervals, two by two, as
long as the merged intervals certainly show more dependence (Flyvbjerg and Petersen, J. Chem. Phys.
91, 1989). If there are few requests above the percentile, the estimate of the design effect is
uncertain. The estimate is then widened by Student's t, with degrees of freedom that are computed
from its fourth moment (Satterthwaite 1946). The load generator computes the same for a whole load
(`loadgen/src/judgement/dependence.rs`); this module computes it for a part of a load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtri, stdtrit

from runfair.statistics.array import FloatArray
from runfair.statistics.percentile import CONFIDENCE, rank

LEAST_CLUSTERS = 8
"""The least number of intervals. A variance with only seven degrees of freedom has an error of a
factor of two."""

LEAST_MERGED = 16
MERGING_CONFIDENCE = 0.8
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class DesignEffect:
    """The design effect at a percentile: the variance of the share of requests above it, divided by
    the variance that independent requests would have."""

    ratio: float
    degrees_of_freedom: float

    @property
    def requests_each(self) -> float:
        """The number of requests that give the precision of one independent request; at least 1."""
        point = stdtrit(self.degrees_of_freedom, (1 + CONFIDENCE) / 2)
        widening = point / ndtri((1 + CONFIDENCE) / 2)
        return max(1.0, float(self.ratio * widening**2))

    @property
    def at_least(self) -> float:
        """The lower confidence limit of the design effect, at the confidence that merging
        requires."""
        degrees = self.degrees_of_freedom
        return float(self.ratio * degrees / chdtri(degrees, 1 - MERGING_CONFIDENCE))


def effective_count(
    stretch: npt.ArrayLike, cell: npt.ArrayLike, counts: npt.ArrayLike, share: float
) -> float:
    """The effective sample size of the percentile `share` (0.99 for p99).

    The arguments are arrays of equal length. Element i of the arrays describes `counts[i]` values,
    which lie in a `cell` of a histogram and in a `stretch` of time. Cells are numbered from 0 in
    rising order, stretches in order of time. The result is the count of all values if too few
    stretches contain values, or if all values lie in one cell. Raises ValueError if nothing was
    counted.
    """
    rows, cells = np.asarray(stretch, dtype=np.int64), np.asarray(cell, dtype=np.int64)
    held = np.asarray(counts, dtype=np.float64)
    in_cell: FloatArray = np.bincount(cells, weights=held).astype(np.float64)
    total = int(in_cell.sum())
    weights = _weights(in_cell, share, rank(share, total))
    mean = float(in_cell @ weights) / total
    variance = float(in_cell @ weights**2) / total - mean**2
    if variance <= NEGLIGIBLE:
        return total
    sizes: FloatArray = np.bincount(rows, weights=held).astype(np.float64)
    above: FloatArray = np.bincount(rows, weights=held * weights[cells]).astype(np.float64)
    found = _design_effect(sizes, above, mean, variance)
    while found is not None and len(sizes) // 2 >= LEAST_MERGED:
        sizes, above = _merged(sizes), _merged(above)
        longer = _design_effect(sizes, above, mean, variance)
        if longer is None:
            break
        if longer.at_least > found.ratio:
            found = longer
    return total if found is None else total / found.requests_each


def _weights(counts: FloatArray, share: float, place: int) -> FloatArray:
    """The weight of each cell's values in the tail: 0 below the percentile, 1 above it, and in the
    percentile's own cell the fraction that completes the tail."""
    cumulative = np.cumsum(counts)
    total = int(cumulative[-1])
    cell = int(np.searchsorted(cumulative, place))
    weights = (np.arange(len(counts)) > cell).astype(np.float64)
    missing = (1 - share) * total - (total - int(cumulative[cell]))
    weights[cell] = np.clip(missing / counts[cell], 0, 1)
    return weights


def _design_effect(
    sizes: FloatArray, above: FloatArray, mean: float, variance: float
) -> DesignEffect | None:
    """Rao and Scott's design effect of a ratio estimator over clusters of unequal size."""
    occupied = int(np.count_nonzero(sizes))
    if occupied < LEAST_CLUSTERS:
        return None
    squares = (above - sizes * mean) ** 2
    ratio = occupied / (occupied - 1) * squares.sum() / (sizes.sum() * variance)
    # The variance of a mean of squares is (kurtosis - 1) / n; for a chi-square variable divided by
    # its degrees of freedom it is 2/n.
    kurtosis = occupied * float((squares**2).sum()) / max(float(squares.sum()) ** 2, NEGLIGIBLE)
    degrees = float(occupied - 1)
    if kurtosis > 1:
        degrees = float(np.clip(2 * occupied / (kurtosis - 1), 1, degrees))
    return DesignEffect(float(ratio), degrees)


def _merged(values: FloatArray) -> FloatArray:
    return np.add.reduceat(values, np.arange(0, len(values), 2))
