"""A long series of iterations reduced to at most 500 blocks.

PELT is the algorithm that finds changes in a series (see `changepoint`). PELT costs O(n²) on flat
series, which are the commonest case. At most 500 blocks take PELT hardly any time. PELT's answers
are also right more often on blocks, because medians of blocks are nearly normally distributed and
single iterations are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from runfair.statistics.array import BoolArray, FloatArray, IntArray

MOST_BLOCKS = 500
"""The greatest number of blocks. PELT's cost on flat series grows with the square of this number.
With 500 blocks, the place of a change is known to 1/500 of the series."""

OUTLIER_WINDOW = 51
OUTLIER_SPREADS = 3.0
"""Outliers lie beyond median ± 3·(p90 - p10) of a sliding window (Barrett et al., "Virtual Machine
Warmup Blows Hot and Cold", OOPSLA 2017; here the window consists of blocks instead of iterations).
"""

BACK_AND_FORTH = 0.1
"""If fewer than a tenth of the neighbouring values differ from each other, the steps of the series
are changes of level, not steps of the clock."""


@dataclass(frozen=True)
class Blocks:
    """Blocks with equal numbers of iterations; the last block also takes the remainder.

    `edges`, of length blocks + 1, has the indices of iterations at which blocks begin and end.
    `values_ns` has a positive value for each block. `quantum_ns` is the smallest difference between
    two blocks' values that the clock can show. `coarse` says that the clock is too coarse for
    medians, so the values are means.
    """

    edges: IntArray
    values_ns: FloatArray
    quantum_ns: float
    coarse: bool


def shortest_length(count: int) -> int:
    """The least length of a block that divides `count` iterations into no more than 500 blocks."""
    return -(-count // MOST_BLOCKS)


def clock_tick_ns(durations_ns: FloatArray, resolution_ns: float) -> float:
    """The step of the clock: the stated resolution, or a larger step that is visible in the integer
    readings.

    A clock with steps of 10 ms returns multiples of 10 ms, whatever its stated resolution.
    """
    if np.count_nonzero(durations_ns[1:] != durations_ns[:-1]) < BACK_AND_FORTH * durations_ns.size:
        return resolution_ns
    # The divisor of a sample is at least the divisor of all values. Nearly always the sample's
    # divisor is already 1.
    for readings in (durations_ns[:1000], durations_ns):
        rounded = np.rint(readings)
        if not (rounded == readings).all() or readings.max() >= 2**62:
            return resolution_ns
        divisor = float(np.gcd.reduce(rounded.astype(np.int64)))
        if divisor <= resolution_ns:
            return resolution_ns
    return divisor


def reduce(durations_ns: FloatArray, length: int, resolution_ns: float, tolerance: float) -> Blocks:
    """The iterations reduced to blocks of `length`. A block's value is the median or, if the clock
    is too coarse, the mean.

    If the clock's step exceeds the tolerance, the median is a multiple of the step. The mean is
    more precise, because the clock's steps occur at random instants of the work and average out.
    """
    count = durations_ns.size
    blocks = count // length
    tick_ns = clock_tick_ns(durations_ns, resolution_ns)
    coarse = tick_ns > tolerance * median(durations_ns)
    centre = np.mean if coarse else np.median

    whole = (blocks - 1) * length
    values = durations_ns.copy()  # a block of one iteration is its own centre
    if length > 1:
        values = np.empty(blocks)
        values[:-1] = centre(durations_ns[:whole].reshape(blocks - 1, length), axis=1)
        values[-1] = centre(durations_ns[whole:])
    edges = np.arange(blocks + 1) * length
    edges[-1] = count

    # Iterations follow one another, so their clock errors cancel: the error of a block is at most
    # one step.
    quantum_ns = tick_ns / length if coarse else tick_ns
    # If a reading is zero, the duration was shorter than one step. Its expected value is half a
    # step.
    smallest = tick_ns / (2 * length) if coarse else tick_ns / 2
    return Blocks(edges, np.maximum(values, smallest), float(quantum_ns), coarse)


def ordinary(values: FloatArray, tolerance: float) -> BoolArray:
    """For each block's value (a logarithm): True if it is not an outlier among its neighbours.

    A value that differs by less than the tolerance is never an outlier, however small the spread of
    its neighbours is.
    """
    window = min(OUTLIER_WINDOW, values.size // 4 * 2 + 1)
    around = np.sort(values[_windows(values.size, window)], axis=1)
    low, middle, high = (around[:, round(q * (window - 1))] for q in (0.1, 0.5, 0.9))
    bound = np.maximum(OUTLIER_SPREADS * (high - low), tolerance)
    kept: BoolArray = np.abs(values - middle) <= bound
    return kept


@lru_cache(maxsize=8)
def _windows(count: int, window: int) -> IntArray:
    """For each of `count` values, the indices of the values in the window around it.

    The ends are padded by reflection. If the first value were repeated instead, it would be the
    median of its own window.
    """
    half = window // 2
    indices = np.arange(count)[:, None] + np.arange(-half, half + 1)
    last = count - 1
    reflected: IntArray = last - np.abs(last - np.abs(indices))
    return reflected


def mean(values: npt.NDArray[np.floating | np.integer]) -> float:
    """The same as `np.mean` of a row, but in a fifth of the time."""
    return float(np.add.reduce(values, dtype=np.float64)) / values.size


def median(values: npt.NDArray[np.floating | np.integer]) -> float:
    """The same as `np.median` of a row of finite numbers. For a short row, this function takes a
    tenth of the time of `np.median`. The time matters, because the detector needs about twenty
    medians for each execution."""
    half = values.size // 2
    ordered = values.copy()
    if values.size % 2:
        ordered.partition(half)
        return float(ordered[half])
    ordered.partition((half - 1, half))
    return float(ordered[half - 1] + ordered[half]) / 2


def quantiles(values: FloatArray, shares: Sequence[float]) -> list[float]:
    """The same as `np.quantile` of a row of finite numbers, except for rounding errors. Like
    `median`, this function is faster than the function of numpy."""
    ordered = np.sort(values)
    found = []
    for share in shares:
        place = share * (ordered.size - 1)
        below = int(place)
        above = min(below + 1, ordered.size - 1)
        low, high = float(ordered[below]), float(ordered[above])
        found.append(low + (high - low) * (place - below))
    return found
