"""An objective (a limit on a percentile of the latency), and whether a service meets it."""

from dataclasses import dataclass
from typing import Literal, Protocol

from runfair.statistics.percentile import label

LEAST_ACHIEVED = 0.99
MOST_FAILED = 0.01
"""The least share of the offered rate that must be achieved, and the greatest share of requests
that may fail. If either limit is violated, a service does not serve the rate, however fast its good
answers are (docs/statistics.md, "Fairness"; the second limit is our choice)."""

Meets = Literal["yes", "no", "unclear"]


class Interval(Protocol):
    """The confidence interval of a percentile, for a single execution or over several
    executions."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True)
class Limits:
    """The limits of a percentile; a limit is None if that side is not bounded."""

    low: float | None
    high: float | None


@dataclass(frozen=True)
class Objective:
    """An objective: the share `share` of the requests (0.99 for p99) must be answered within
    `limit_ns`."""

    share: float
    limit_ns: int

    def __post_init__(self) -> None:
        if not 0 < self.share < 1 or self.limit_ns <= 0:
            raise ValueError(
                "an objective needs a percentile (as a fraction between 0 and 1) and a positive "
                "limit"
            )

    def __str__(self) -> str:
        return f"{label(self.share)} < {self.limit_ns / 1e6:g} ms"

    def met_by(self, percentile: Interval | None, *, served: bool = True) -> Meets:
        """Whether a service meets the objective. A service that does not serve the rate misses the
        objective, however fast its good answers are. If the service serves the rate, the answer is
        `yes` or `no` only if the whole interval lies on one side of the limit. An interval of None
        means that the percentile is unknown."""
        if not served:
            return "no"
        if percentile is None:
            return "unclear"
        if percentile.high is not None and percentile.high < self.limit_ns:
            return "yes"
        if percentile.low is not None and percentile.low >= self.limit_ns:
            return "no"
        return "unclear"


def serves(achieved: float | None, failed: float) -> bool:
    """Whether a service serves a rate at all. `achieved` is the achieved share of the offered rate;
    it is None for a closed loop. `failed` is the share of requests that failed."""
    return achieved is not None and achieved >= LEAST_ACHIEVED and failed <= MOST_FAILED
