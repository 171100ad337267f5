"""A long series of iterations reduced to at most 500 blocks.

PELT costs O(n²) on flat series, the commonest case; on blocks it is instant, and more often right,
because a block's median is nearly normal where single iterations are not.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

MOST_BLOCKS = 500
"""PELT's cost on flat series is quadratic in this; it places a change to 1/500."""

OUTLIER_WINDOW = 51
OUTLIER_SPREADS = 3.0
"""Outliers lie beyond median ± 3·(p90 - p10) of a sliding window (Barrett et al., "Virtual Machine
Warmup Blows Hot and Cold", OOPSLA 2017, with a window of blocks instead of iterations)."""

BACK_AND_FORTH = 0.1
"""A series that changes at fewer than a tenth of its steps has levels, not clock ticks."""


@dataclass(frozen=True)
class Blocks:
    """Equal blocks of iterations, the last one taking what is left over.

    `edges` (blocks + 1) are iteration indices, `values_ns` (blocks) are all positive,
    `quantum_ns` is the step in which a block's value can move because of the clock alone; `coarse`
    says that single readings are too rough for medians, and only means hold.
    """

    edges: npt.NDArray[np.int64]
    values_ns: FloatArray
    quantum_ns: float
    coarse: bool


def shortest_length(count: int) -> int:
    """The least block length that makes no more than 500 blocks of `count` iterations."""
    return -(-count // MOST_BLOCKS)


def clock_tick_ns(durations_ns: FloatArray, resolution_ns: float) -> float:
    """The step of the clock: as stated, or the greater one that integer readings betray.

    A clock of 10 ms steps gives multiples of 10 ms whatever its stated resolution.
    """
    if np.count_nonzero(np.diff(durations_ns)) < BACK_AND_FORTH * durations_ns.size:
        return resolution_ns
    # Any sample's common divisor bounds the whole's from above; nearly always it already is 1.
    for readings in (durations_ns[:1000], durations_ns):
        rounded = np.rint(readings)
        if not np.array_equal(rounded, readings) or readings.max() >= 2**62:
            return resolution_ns
        divisor = float(np.gcd.reduce(rounded.astype(np.int64)))
        if divisor <= resolution_ns:
            return resolution_ns
    return divisor


def reduce(durations_ns: FloatArray, length: int, resolution_ns: float, tolerance: float) -> Blocks:
    """Blocks of `length` iterations: their median, or mean where the clock is too coarse for it.

    The median of readings that step by more than the tolerance sticks to a step, whereas their
    mean does not: the steps fall at random against the work, and average out.
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

    # Back to back, each reading's error is the next one's too, so a block errs by one step at most.
    quantum_ns = tick_ns / length if coarse else tick_ns
    # A reading of zero was something below one step; half a step is its expectation.
    smallest = tick_ns / (2 * length) if coarse else tick_ns / 2
    return Blocks(edges, np.maximum(values, smallest), float(quantum_ns), coarse)


def ordinary(values: FloatArray, tolerance: float) -> npt.NDArray[np.bool_]:
    """Which of the (logarithmic) block values are not outliers of their surroundings.

    What lies within the tolerance is never an outlier, however quiet the surroundings.
    """
    window = min(OUTLIER_WINDOW, values.size // 4 * 2 + 1)
    # Reflected, since repeating the first value would make it the middle of its own surroundings.
    padded = np.pad(values, window // 2, mode="reflect")
    around = np.sort(np.lib.stride_tricks.sliding_window_view(padded, window), axis=1)
    low, middle, high = (around[:, round(q * (window - 1))] for q in (0.1, 0.5, 0.9))
    bound = np.maximum(OUTLIER_SPREADS * (high - low), tolerance)
    kept: npt.NDArray[np.bool_] = np.abs(values - middle) <= bound
    return kept
