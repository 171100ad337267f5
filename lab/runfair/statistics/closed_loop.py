"""Two tests of a load's latencies that need no information about the generator.

Little's law: throughput × mean latency is the mean number of requests under way. If the number of
requests under way equals the number of connections, every connection always waited for an answer,
so the load was a saturated closed loop. In measurements, the number of requests under way per
connection was 1.00 for closed loops and 0.05 to 0.14 for paced loads.

The stall test: suppose that the slowest request, of latency `max`, met a stall of the server. If
the schedule continued during the stall, requests were due throughout it, and half of these waited
at least max/2. In a load of length T the share of these requests is at least max/(2·T). A load
passes the test if the observed share is at least the required share. In measurements, the observed
share divided by the required share was 8.1 for an open loop, 0.62 for a paced load timed from
sending, and 0.02 to 0.29 for closed loops. The test also fails if a single request was slow by
itself, so a failure is a suspicion, not a proof.

Sources: Little (1961), "A proof for the queuing formula L = λW"; docs/statistics.md, "Fairness".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

SATURATED = 0.9
"""At this ratio and above, the connections were waiting for answers nearly all the time. The limit
is below 1 because not all connections wait at the load's beginning and end."""

IMPOSSIBLE = 1.1
"""The number of requests under way cannot exceed the number of connections. Above this ratio, the
latencies therefore include more than the time from sending to answer."""

Outcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class StallTest:
    """The result of the stall test, as shares (0 to 1) of the requests. Between `least` and `most`
    of the requests took at least half the greatest latency. In an open loop the share would be at
    least `required`."""

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
    """The mean number of requests under way per connection. Raises ValueError if there are no
    connections."""
    if connections < 1:
        raise ValueError("at least one connection is needed")
    return under_way(rate_per_s, mean_latency_ns) / connections


def share_at_least(
    threshold_ns: float, percentiles: Sequence[tuple[float, float]], counted: int
) -> tuple[float, float]:
    """The least and the greatest share of values that can lie at or above a threshold.

    `percentiles` are pairs of a share and a value in ns: the share of all values that do not exceed
    this value. The pairs need not be sorted. `counted` is the number of values; at least one value
    reaches the threshold. Raises ValueError if there are no values.
    """
    if counted < 1:
        raise ValueError("at least one value is needed")
    reaching = [share for share, value in percentiles if value >= threshold_ns]
    below = [share for share, value in percentiles if value < threshold_ns]
    # The value at the percentile's own rank reaches the threshold as well.
    least = max((1 - share for share in reaching), default=0.0)
    most = min((1 - share for share in below), default=1.0)
    return max(1 / counted, min(least, most)), max(1 / counted, most)


def stall_test(
    max_ns: float, length_ns: float, percentiles: Sequence[tuple[float, float]], counted: int
) -> StallTest:
    """The stall test: whether enough requests were slow to explain the greatest latency by a stall
    in an open loop.

    `length_ns` is the load's length; `percentiles` are as for `share_at_least`. Raises ValueError
    if the length or the number of values is not positive.
    """
    if length_ns <= 0:
        raise ValueError("the duration of a load must be positive")
    least, most = share_at_least(max_ns / 2, percentiles, counted)
    return StallTest(least, most, min(1.0, max_ns / (2 * length_ns)))
