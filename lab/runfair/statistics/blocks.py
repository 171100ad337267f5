"""A long series of iterations reduced to at most 500 blocks.

PELT (see `changepoint`) costs O(n²) on flat series, the commonest case. On blocks it is instant. It
is also right more often, because medians of blocks are nearly normal and single iterations are not.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

MOST_BLOCKS = 500
"""PELT's cost on flat series grows with the square of this number; a change is located to 1/500 of
the series."""

OUTLIER_WINDOW = 51
OUTLIER_SPREADS = 3.0
"""Outliers lie beyond median ± 3·(p90 - p10) of a sliding window (Barrett et al., "Virtual Machine
Warmup Blows Hot and Cold", OOPSLA 2017, with a window of blocks instead of iterations)."""

BACK_AND_FORTH = 0.1
"""If fewer than a tenth of a series' neighbours differ, its steps are levels, not clock ticks."""


@dataclass(frozen=True)
class Blocks:
    """Equal blocks of iterations; the last block also takes the remainder.

    `edges` (blocks + 1) are iteration indices, `values_ns` (blocks) are all positive, `quantum_ns`
    is the step that the clock's resolution leaves in a block's value. `coarse`: the clock is too
    coarse for medians, so the values are means.
    """

    edges: npt.NDArray[np.int64]
    values_ns: FloatArray
    quantum_ns: float
    coarse: bool


def shortest_length(count: int) -> int:
    """The least block length that makes no more than 500 blocks of `count` iterations."""
    return -(-count // MOST_BLOCKS)


def clock_tick_ns(durations_ns: FloatArray, resolution_ns: float) -> float:
    """The step of the clock: the stated one, or a larger one that the integer readings show.

    A clock of 10 ms steps gives multiples of 10 ms whatever its stated resolution.
    """
    if np.count_nonzero(np.diff(durations_ns)) < BACK_AND_FORTH * durations_ns.size:
        return resolution_ns
    # The divisor of a sample is at least the divisor of all; nearly always it already is 1.
    for readings in (durations_ns[:1000], durations_ns):
        rounded = np.rint(readings)
        if not np.array_equal(rounded, readings) or readings.max() >= 2**62:
            return resolution_ns
        divisor = float(np.gcd.reduce(rounded.astype(np.int64)))
        if divisor <= resolution_ns:
            return resolution_ns
    return divisor


def reduce(durations_ns: FloatArray, length: int, resolution_ns: float, tolerance: float) -> Blocks:
    """The iterations in blocks of `length`: medians, or means if the clock is too coarse.

    If the clock's step exceeds the tolerance, the median sticks to one step. The mean does not: the
    steps fall at random against the work, and average out.
    """
    count = durations_ns.size
    blocks = count // length
    tick_ns = clock_tick_ns(durations_ns, resolution_ns)
    coarse = tick_ns > tolerance * float(np.median(durations_ns))
    centre = np.mean if coarse else np.median

    whole = (blocks - 1) * length
    values = np.empty(blocks)
    values[:-1] = centre(durations_ns[:whole].reshape(blocks - 1, length), axis=1)
    values[-1] = centre(durations_ns[whole:])
    edges = np.append(np.arange(blocks) * length, count)

    # Iterations follow one another, so their clock errors cancel: a block errs by one step at most.
    quantum_ns = tick_ns / length if coarse else tick_ns
    # A reading of zero was shorter than one step: half a step is its expected value.
    smallest = tick_ns / (2 * length) if coarse else tick_ns / 2
    return Blocks(edges, np.maximum(values, smallest), float(quantum_ns), coarse)


def ordinary(values: FloatArray, tolerance: float) -> npt.NDArray[np.bool_]:
    """For each block value (a logarithm), whether it is no outlier among its neighbours.

    A value within the tolerance is never an outlier, however quiet its neighbours are.
    """
    window = min(OUTLIER_WINDOW, values.size // 4 * 2 + 1)
    # Reflected, since repeating the first value would make it the middle of its own surroundings.
    padded = np.pad(values, window // 2, mode="reflect")
    around = np.sort(np.lib.stride_tricks.sliding_window_view(padded, window), axis=1)
    low, middle, high = (around[:, round(q * (window - 1))] for q in (0.1, 0.5, 0.9))
    bound = np.maximum(OUTLIER_SPREADS * (high - low), tolerance)
    kept: npt.NDArray[np.bool_] = np.abs(values - middle) <= bound
    return kept
