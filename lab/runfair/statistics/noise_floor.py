"""The machine's noise floor and drift: the differences that the machine causes between measurements
of the same program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from runfair.statistics.comparison import CONFIDENCE, Ratio, paired_ratio
from runfair.statistics.log_interval import logs

RECOMMENDED_PAIRS = 20

# A machine's speed changes more over seconds than between two consecutive executions. C++, Rust and
# Go programs hardly warm up, but the levels within one of their executions differ by up to 2.3
# times as much as two consecutive executions (docs/statistics.md).
WANDER = 3.0

# At a tolerance of 3 to 5% the steady-state detector's answers for the JVM, Node and Python are
# stable (docs/statistics.md). Even after a noisier calibration, a step larger than this limit must
# be found.
LARGEST_TOLERANCE = 0.05


@dataclass(frozen=True)
class NoiseFloor:
    """The noise floor. `half_width` is a fraction: 0.008 for 0.8%. `ratio` is the A/A comparison
    from which it was computed."""

    half_width: float
    ratio: Ratio


def single_pair(half_width: float, pairs: int) -> float:
    """The difference that two single executions of one program may have on this machine, as a
    fraction.

    The noise floor is the half-width for the mean of `pairs` pairs (at least two). The result is
    the half-width for a single pair, at the same confidence.
    """
    quantile = (1 + CONFIDENCE) / 2
    spread = np.log1p(half_width) * np.sqrt(pairs) / stdtrit(pairs - 1, quantile)
    return float(np.expm1(spread * ndtri(quantile)))


def level_tolerance(half_width: float, pairs: int) -> float:
    """The difference up to which two levels in one execution count as one level. The difference is
    WANDER times the difference of single executions, but at most LARGEST_TOLERANCE."""
    return min(WANDER * single_pair(half_width, pairs), LARGEST_TOLERANCE)


def noise_floor(first: npt.ArrayLike, second: npt.ArrayLike) -> NoiseFloor:
    """The noise floor: the half-width of the 95% interval of the ratio over interleaved A/A pairs.

    `first` and `second` are rows with a value for each execution, pair by pair. The order of
    execution within a pair should alternate. Raises ValueError if there are fewer than two pairs,
    or if all values are equal, because then the clock is too coarse.
    """
    ratio = paired_ratio(first, second)
    if ratio.low is None or ratio.high is None:
        raise ValueError(
            "the noise floor is unknown, because all pairs have the same difference: there are "
            "too few pairs, or the clock is too coarse"
        )
    return NoiseFloor(float(np.sqrt(ratio.high / ratio.low)) - 1, ratio)


def drift_between(before_ns: npt.ArrayLike, after_ns: npt.ArrayLike) -> float:
    """The change of the reference loop's median between two sets of readings: 0.01 is 1% slower.

    Raises ValueError if a reading is not positive and finite.
    """
    before, after = np.median(logs(before_ns)), np.median(logs(after_ns))
    return float(np.expm1(after - before))


def drift_along(instants_ns: npt.ArrayLike, durations_ns: npt.ArrayLike) -> float:
    """The trend of readings from the first instant to the last: 0.01 is 1% slower.

    The trend is the median of the slopes of all pairs (Theil 1950, Sen 1968), on logarithms. The
    trend is robust against up to 29% of outlying readings. The cost is O(n²), which suits hundreds
    of readings. Raises ValueError if the lengths differ, if there are fewer than two different
    instants, or if a reading is not positive and finite.
    """
    instants = np.asarray(instants_ns, dtype=np.float64)
    readings = logs(durations_ns)
    if instants.shape != readings.shape:
        raise ValueError("each reading needs a time, but the two arrays have different lengths")
    earlier, later = np.triu_indices(readings.size, 1)
    elapsed = instants[later] - instants[earlier]
    apart = elapsed != 0
    if not apart.any():
        raise ValueError("a drift needs readings at two different times")
    slopes = (readings[later] - readings[earlier])[apart] / elapsed[apart]
    return float(np.expm1(np.median(slopes) * np.ptp(instants)))
