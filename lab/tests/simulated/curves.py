"""Simulated executions whose truth is known: a shape times a noise, in integer nanoseconds."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from runfair.statistics.steady_state import Classification

FloatArray = npt.NDArray[np.float64]

LEVEL_NS = 10_000_000
SHAPES = ("flat", "warm3", "exp", "warm_small", "slow", "late", "cycle")
ORDINARY_NOISES = ("gauss1", "logn3", "ar", "gc")
HARD_NOISES = ("bimodal", "drift", "burst", "noisy10")


@dataclass(frozen=True)
class Curve:
    """`start` is the first iteration within 1% of the final level, None where there is none."""

    durations_ns: npt.NDArray[np.int64]
    classification: Classification
    start: int | None


def curve(rng: np.random.Generator, count: int, shape: str, noise: str) -> Curve:
    levels, classification, start = SHAPE_FUNCTIONS[shape](count)
    durations = LEVEL_NS * levels * noise_factors(rng, count, noise)
    return Curve(np.rint(durations).astype(np.int64), classification, start)


Shape = tuple[FloatArray, Classification, int | None]


def _flat(count: int) -> Shape:
    return np.ones(count), "flat", 0


def _three_tiers(count: int) -> Shape:
    levels = np.ones(count)
    levels[: count // 10] = 1.8
    levels[: count // 50] = 4
    return levels, "warmup", count // 10


def _exponential(count: int) -> Shape:
    time_constant = 0.03 * count
    levels = 1 + 2 * np.exp(-np.arange(count) / time_constant)
    return levels, "warmup", int(time_constant * np.log(2 / 0.01))


def _three_percent(count: int) -> Shape:
    levels = np.ones(count)
    levels[: count // 5] = 1.03
    return levels, "warmup", count // 5


def _slower_in_the_end(count: int) -> Shape:
    levels = np.ones(count)
    levels[: 2 * count // 5] = 0.95
    return levels, "slowdown", 2 * count // 5


def _late_tier(count: int) -> Shape:
    levels = np.ones(count)
    levels[9 * count // 10 :] = 0.9
    return levels, "no steady state", None


def _cycle(count: int) -> Shape:
    return np.where(np.arange(count) * 10 // count % 2, 1.0, 1.08), "no steady state", None


SHAPE_FUNCTIONS = {
    "flat": _flat,
    "warm3": _three_tiers,
    "exp": _exponential,
    "warm_small": _three_percent,
    "slow": _slower_in_the_end,
    "late": _late_tier,
    "cycle": _cycle,
}


def noise_factors(rng: np.random.Generator, count: int, noise: str) -> FloatArray:
    """Factors around 1; the white part has a standard deviation of 1% unless the name says else."""
    white: FloatArray = 1 + 0.01 * rng.standard_normal(count)
    match noise:
        case "gauss1":
            pass
        case "logn3":
            white = white_logs(rng, count, 0.03)
        case "noisy10":
            white = white_logs(rng, count, 0.10)
        case "ar":  # neighbours correlated by 0.8
            white = 1 + np.asarray(lfilter([0.6], [1, -0.8], white - 1), dtype=np.float64)
        case "gc":  # a pause every 37 iterations, and rare outliers of three times
            white[::37] *= 1.4
            white[rng.random(count) < 0.001] *= 3
        case "bimodal":  # three in ten are 4% slower
            white = (1 + (white - 1) / 2) * np.where(rng.random(count) < 0.3, 1.04, 1.0)
        case "drift":  # a random walk of at most 1.2%
            walk = np.cumsum(rng.standard_normal(count))
            white = white + 0.012 * walk / np.abs(walk).max()
        case "burst":  # another tenant takes its share six times, 0.5% of the execution each
            for begin in rng.integers(0, count, 6):
                white[begin : begin + count // 200] *= 1.5
        case _:
            raise ValueError(noise)
    return white


def white_logs(rng: np.random.Generator, count: int, deviation: float) -> FloatArray:
    factors: FloatArray = np.exp(deviation * rng.standard_normal(count))
    return factors


def ticked(durations_ns: FloatArray, tick_ns: int) -> npt.NDArray[np.int64]:
    """The same iterations, back to back, as read from a clock that steps by `tick_ns`."""
    instants = np.concatenate(([0.0], np.cumsum(durations_ns)))
    readings = np.floor(instants / tick_ns) * tick_ns
    steps: npt.NDArray[np.int64] = (readings[1:] - readings[:-1]).astype(np.int64)
    return steps
