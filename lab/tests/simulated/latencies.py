"""Simulated services: requests whose latencies depend on one another and stall, and queues."""

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

FloatArray = npt.NDArray[np.float64]

CORRELATION = 0.9
SPREAD = 0.5
STALL_MS = 20.0
ARRIVAL_MS = 0.5


def executions(rng: np.random.Generator, *, count: int, requests: int, stalls: float) -> FloatArray:
    """Latencies in ms of shape (count, requests), in the order of arrival, one each 0.5 ms.

    Lognormal around 1 ms, correlated from request to request (AR(1), 0.9). About `stalls` stalls
    of 20 ms an execution, at any instant: all who arrive during one wait until its end.
    """
    innovations = rng.standard_normal((count, requests), dtype=np.float32)
    innovations[:, 0] /= np.sqrt(1 - CORRELATION**2)
    noise = lfilter(
        [np.float32(np.sqrt(1 - CORRELATION**2))],
        [1, np.float32(-CORRELATION)],
        innovations,
        axis=1,
    )
    latencies: FloatArray = np.exp(SPREAD * noise)
    which = np.repeat(np.arange(count), rng.poisson(stalls, count))
    begins = rng.integers(0, requests, which.size)
    for later in range(int(STALL_MS / ARRIVAL_MS)):
        here = begins + later < requests
        np.add.at(latencies, (which[here], begins[here] + later), STALL_MS - later * ARRIVAL_MS)
    return latencies


def percentile(latencies: FloatArray, share: float) -> FloatArray:
    """Each execution's percentile, by rank."""
    place = int(np.ceil(round(share * latencies.shape[1], 6))) - 1
    found: FloatArray = np.partition(latencies, place, axis=1)[:, place]
    return found


def queue(rng: np.random.Generator, *, rate_per_s: float, service_ns: FloatArray) -> FloatArray:
    """Latencies in ns of one first-come-first-served server under Poisson arrivals (Lindley 1952).

    `service_ns` has one service time a request. The queue begins empty.
    """
    gaps = rng.exponential(1e9 / rate_per_s, service_ns.size)
    steps = np.concatenate([[0.0], service_ns[:-1] - gaps[1:]])
    walk = np.cumsum(steps)
    waits: FloatArray = walk - np.minimum.accumulate(walk)
    return waits + service_ns
