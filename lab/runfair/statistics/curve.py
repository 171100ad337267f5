"""Latency against rate: where it bends, and where the service no longer keeps up.

A figure at saturation says nothing of a service at its operating point; a curve says both, and
needs at least four rates to be one (docs/statistics.md, "Services").
"""

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.statistics.objective import LEAST_ACHIEVED

LEAST_RATES = 4


@dataclass(frozen=True)
class Point:
    """What was seen at one rate; the latency is a mean or a percentile, the same one all along."""

    offered_per_s: float
    achieved_per_s: float
    latency_ns: float

    @property
    def keeps_up(self) -> bool:
        return self.achieved_per_s >= LEAST_ACHIEVED * self.offered_per_s


@dataclass(frozen=True)
class Curve:
    """`knee_per_s` is None where the rates do not enclose it, `saturated_from_per_s` where the
    service kept up with all; `reason` says what the curve does not show."""

    knee_per_s: float | None
    saturated_from_per_s: float | None
    reason: str = ""


def curve(points: Sequence[Point]) -> Curve:
    """The bend of a curve, in whatever order its points come.

    The knee is the rate measured that has the greatest power, which is rate / latency (Kleinrock,
    "Power and deterministic rules of thumb for probabilistic problems in computer communications",
    ICC 1979): the last rate at which more load is worth its delay, half the capacity of an M/M/1
    queue with the mean. It is as coarse as the rates are apart, depends on no scale of a plot, and
    is none where the greatest power lies at the first or the last rate kept up with. Raises
    ValueError for a rate given twice, or rates and latencies that are not positive.
    """
    rising = sorted(points, key=lambda point: point.offered_per_s)
    if len({point.offered_per_s for point in rising}) != len(rising):
        raise ValueError("a curve has one point a rate")
    if any(point.offered_per_s <= 0 or point.latency_ns <= 0 for point in rising):
        raise ValueError("rates and latencies are positive")
    saturated = next((point.offered_per_s for point in rising if not point.keeps_up), None)
    reached = [p for p in rising if saturated is None or p.offered_per_s < saturated]
    if len(rising) < LEAST_RATES:
        return Curve(None, saturated, f"{len(rising)} rates: a curve needs {LEAST_RATES}")
    if not reached:
        return Curve(None, saturated, "saturated at every rate: measure lower ones")
    knee = max(range(len(reached)), key=lambda at: _power(reached[at]))
    if knee == 0:
        return Curve(None, saturated, "latency grows faster than rate throughout: measure lower")
    if knee == len(reached) - 1 and saturated is None:
        return Curve(None, None, "latency grows slower than rate throughout: measure higher ones")
    return Curve(reached[knee].offered_per_s, saturated)


def _power(point: Point) -> float:
    return point.offered_per_s / point.latency_ns
