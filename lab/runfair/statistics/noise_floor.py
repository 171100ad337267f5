"""The machine's noise floor and drift: the differences that it causes without any change of
program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from runfair.statistics.comparison import Ratio, paired_ratio
from runfair.statistics.log_interval import logs

RECOMMENDED_PAIRS = 20

# Over seconds a machine's speed wanders more than between two consecutive executions: levels of
# C++, Rust and Go, which have little to warm up, differ by up to 2.3 times as much
# (docs/statistics.md).
WANDER = 3.0

# At a tolerance of 3 to 5% the detector's answers for JVM, Node and Python are stable
# (docs/statistics.md). A noisier calibration must not hide a larger step.
LARGEST_TOLERANCE = 0.05


@dataclass(frozen=True)
class NoiseFloor:
    """`half_width` is a fraction: 0.008 for 0.8%. `ratio` is the A/A comparison itself."""

    half_width: float
    ratio: Ratio


def single_pair(half_width: float, pairs: int, *, confidence: float = 0.95) -> float:
    """By how much two single executions of one program may differ on this machine, as a fraction.

    The floor is the half-width of a mean over `pairs` pairs (at least two); the result is the
    spread of a single pair, at the same confidence.
    """
    quantile = (1 + confidence) / 2
    spread = np.log1p(half_width) * np.sqrt(pairs) / stdtrit(pairs - 1, quantile)
    return float(np.expm1(spread * ndtri(quantile)))


def level_tolerance(half_width: float, pairs: int) -> float:
    """By how much two levels in one execution may differ and still count as one: WANDER times the
    difference of single executions, at most LARGEST_TOLERANCE."""
    return min(WANDER * single_pair(half_width, pairs), LARGEST_TOLERANCE)


def noise_floor(first: npt.ArrayLike, second: npt.ArrayLike) -> NoiseFloor:
    """The half-width of the ratio's 95% interval over interleaved A/A pairs.

    `first` and `second` are rows of one value an execution, pair by pair; the order within a pair
    should alternate. Raises ValueError for fewer than two pairs, or if there is no spread at all,
    because then the clock is too coarse.
    """
    ratio = paired_ratio(first, second)
    if ratio.low is None or ratio.high is None:
        raise ValueError("no spread between the pairs: too few of them, or too coarse a clock")
    return NoiseFloor(float(np.sqrt(ratio.high / ratio.low)) - 1, ratio)


def drift_between(before_ns: npt.ArrayLike, after_ns: npt.ArrayLike) -> float:
    """The change of the reference loop's median between two sets of readings: 0.01 is 1% slower.

    Raises ValueError for readings that are not positive and finite.
    """
    before, after = np.median(logs(before_ns)), np.median(logs(after_ns))
    return float(np.expm1(after - before))


def drift_along(instants_ns: npt.ArrayLike, durations_ns: npt.ArrayLike) -> float:
    """The trend of readings from the first instant to the last: 0.01 is 1% slower.

    The median of all pairs' slopes (Theil 1950, Sen 1968) on logs; up to 29% of wild readings do
    not move it. It costs O(n²): meant for hundreds of readings. Raises ValueError for unequal
    lengths, fewer than two different instants, or readings that are not positive and finite.
    """
    instants = np.asarray(instants_ns, dtype=np.float64)
    readings = logs(durations_ns)
    if instants.shape != readings.shape:
        raise ValueError("each reading needs its instant: the lengths differ")
    earlier, later = np.triu_indices(readings.size, 1)
    elapsed = instants[later] - instants[earlier]
    apart = elapsed != 0
    if not apart.any():
        raise ValueError("a drift needs readings at two different instants")
    slopes = (readings[later] - readings[earlier])[apart] / elapsed[apart]
    return float(np.expm1(np.median(slopes) * np.ptp(instants)))
