"""Simulated loads whose median is flat and whose tail may change with time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

FloatArray = npt.NDArray[np.float64]
Course = Callable[[FloatArray], FloatArray]

SLOW_SHARE = 0.02
SLOW_MS = 10.0
SPREAD = 0.3


def unchanged(instants: FloatArray) -> FloatArray:
    """The factor of the tail at each instant, of which the load lasts from 0 to 1."""
    return np.ones_like(instants)


def halves(instants: FloatArray) -> FloatArray:
    """Half-way through the load."""
    return np.where(instants < 0.5, 1.0, 0.5)


def falls_early(instants: FloatArray) -> FloatArray:
    """To less than a third, after two fifths of the load."""
    return np.where(instants < 0.4, 3.3, 1.0)


def falls_late(instants: FloatArray) -> FloatArray:
    """As far, in the last quarter, when nothing shows that it would stay."""
    return np.where(instants < 0.82, 3.3, 1.0)


def loads(
    random: np.random.Generator,
    course: Course,
    *,
    executions: int = 6,
    requests: int = 4_000,
    memory: float = 0.0,
    burst: float = 1.0,
) -> FloatArray:
    """Latencies in ms, of shape (executions, requests), in the order of arrival.

    Lognormal around 1 ms, and 2% of all requests slow by a further 10 ms in the mean,
    exponentially, times the `course` at their instant. Executions differ by 3%. Latencies depend on
    those before: `memory` is the number of requests after which 1/e of a deviation is left (of all
    latencies, slow ones too), and slow requests come in bursts of `burst` in the mean, in which all
    are equally slow.
    """
    shape = (executions, requests)
    bulk = np.exp(SPREAD * _gaussian(random, shape, memory))
    slow = _slow_ms(random, shape, burst)
    speed = np.exp(random.normal(0, 0.03, (executions, 1)))
    return speed * (bulk + bulk * slow * course(np.arange(requests) / requests))


def _gaussian(random: np.random.Generator, shape: tuple[int, int], memory: float) -> FloatArray:
    noise: FloatArray = random.standard_normal(shape)
    if memory == 0:
        return noise
    kept = np.exp(-1 / memory)
    noise[:, 0] /= np.sqrt(1 - kept**2)
    correlated: FloatArray = lfilter([np.sqrt(1 - kept**2)], [1, -kept], noise, axis=1)
    return correlated


def _slow_ms(random: np.random.Generator, shape: tuple[int, int], burst: float) -> FloatArray:
    slow = np.zeros(shape)
    for row in slow:
        count = int(random.binomial(shape[1], SLOW_SHARE / burst))
        begins = random.integers(0, shape[1], count)
        lengths = random.geometric(1 / burst, count)
        sizes = random.exponential(SLOW_MS, count)
        for first, length, size in zip(begins, lengths, sizes, strict=True):
            row[first : first + length] = size
    return slow
