"""Two tests of a load's latencies that need no knowledge of the generator.

Little's law: throughput × mean latency is the mean number of requests under way. Where it is the
number of connections, each of them always waited for an answer: a saturated closed loop. Measured:
1.00 for closed loops, 0.05 to 0.14 for paced ones.

The stall test: if the slowest of the requests, of latency `max`, met a stall of the server, then a
schedule that kept running had requests intended throughout that stall, half of which must have
waited at least max/2: of a load of length T, a share of max/(2·T). Measured, observed over
required: 8.1 for an open loop, 0.62 for a paced one timed from sending, 0.02 to 0.29 for closed
ones. One request that is slow by itself fails the test as well, so that it accuses, and does not
convict.

Sources: Little (1961), "A proof for the queuing formula L = λW"; docs/statistics.md, "Fairness".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

SATURATED = 0.9
"""From here on the connections were all but always waiting; ramping up and down leaves some of a
second's share out."""

IMPOSSIBLE = 1.1
"""More than this many times the connections cannot be under way: the latencies hold more than the
time from sending to answer."""

Outcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class StallTest:
    """Shares (0 to 1) of the requests: at least `least` and at most `most` took half the greatest
    latency or more; `required` must have."""

    least: float
    most: float
    required: float

    @property
    def outcome(self) -> Outcome:
        if self.least >= self.required:
            return "passed"
        return "failed" if self.most < self.required else "undecided"


def under_way(rate_per_s: float, mean_latency_ns: float) -> float:
    """The mean number of requests under way, by Little's law."""
    return rate_per_s * mean_latency_ns / 1e9


def saturation(rate_per_s: float, mean_latency_ns: float, connections: int) -> float:
    """The requests under way for each connection. Raises ValueError for no connections."""
    if connections < 1:
        raise ValueError("at least one connection is needed")
    return under_way(rate_per_s, mean_latency_ns) / connections


def share_at_least(
    threshold_ns: float, percentiles: Sequence[tuple[float, float]], counted: int
) -> tuple[float, float]:
    """Bounds of the share of values at or above a threshold that some value reaches.

    `percentiles` are (share, value in ns): that share of the values does not exceed the value. They
    need not be sorted. `counted` is how many values there are, at least one of them reaching the
    threshold. Raises ValueError for no values.
    """
    if counted < 1:
        raise ValueError("at least one value is needed")
    reaching = [share for share, value in percentiles if value >= threshold_ns]
    below = [share for share, value in percentiles if value < threshold_ns]
    # At the percentile's own rank stands its value: it is one of those beyond it, or as slow.
    least = max((1 - share for share in reaching), default=0.0)
    most = min((1 - share for share in below), default=1.0)
    return max(1 / counted, min(least, most)), max(1 / counted, most)


def stall_test(
    max_ns: float, length_ns: float, percentiles: Sequence[tuple[float, float]], counted: int
) -> StallTest:
    """Whether as many requests were slow as a stall of the greatest latency makes slow.

    `length_ns` is the load's, `percentiles` as for `share_at_least`. Raises ValueError for a length
    or a number of values that is not positive.
    """
    if length_ns <= 0:
        raise ValueError("a load takes time")
    least, most = share_at_least(max_ns / 2, percentiles, counted)
    return StallTest(least, most, min(1.0, max_ns / (2 * length_ns)))
