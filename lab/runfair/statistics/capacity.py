"""A service's capacity, by a search over rates, and the knee of its latency curve.

The capacity is the highest rate at which an objective is still met.

The search proposes one rate after another and is told whether the objective was met; it measures
nothing itself. It bisects the rates on a logarithmic scale. Observations are noisy, so those that
decide the answer are repeated: a clear observation moves the search on at once, but each end of the
final interval needs a majority, two of up to three observations. A false observation therefore
costs a few more rates and leaves the answer right: the search runs up against the wrong end, its
majority turns, and the search goes on beyond it. Waeber, Frazier and Henderson ("Bisection search
with noisy responses", SIAM J. Control and Optimization 51, 2013) ask every rate repeatedly instead,
for the same confidence at several times the observations.

An observation is unclear if its interval contains the limit; it is then repeated. A rate that stays
unclear belongs to neither side. Both of its sides are then searched, so the answer includes the
whole unclear range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

from runfair.statistics.objective import LEAST_ACHIEVED, Meets

PRECISION = 1.04
"""The search ends when its two ends are this ratio apart: their middle is then off by at most
2%."""

MAJORITY = 2
MOST_OBSERVATIONS = 3
"""Two of up to three: the least that outvotes one false observation."""

ASSUMES = (
    "observations are independent, and each is false no more often than "
    "its interval says; observations of one warm process are not quite independent"
)
"""What the stated confidence assumes."""

State = Literal["met", "missed", "undecided"]


@dataclass(frozen=True)
class CapacityInterval:
    """`highest_met_per_s` is None if not even the lowest rate was shown to meet the objective.
    `lowest_missed_per_s` is None if the highest rate did not miss it; higher rates were not tried.

    `confidence` is a lower bound of the probability that both ends are on their side: the union
    bound over all observed rates. It assumes that observations are independent and wrong no more
    often than stated, so use a fresh process for each observation. `contradictions` are pairs of a
    rate that missed the objective and a higher one that met it: the machine or the service changed,
    and the interval is widened to hold them.
    """

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    observations: int
    contradictions: tuple[tuple[float, float], ...] = ()


class Capacity:
    """A search between two rates: measure at `next_rate`, pass the result to `observe`, until None.

    `observed_confidence` is the confidence of the two-sided interval that judges an observation: at
    95%, a clear observation is false with a probability of 2.5%. Raises ValueError for rates that
    are not positive and rising, or a precision of no more than 1.
    """

    def __init__(
        self,
        low_per_s: float,
        high_per_s: float,
        *,
        precision: float = PRECISION,
        observed_confidence: float = 0.95,
    ) -> None:
        if not 0 < low_per_s < high_per_s < inf:
            raise ValueError("a search for the capacity needs two rates, 0 < low < high")
        if precision <= 1 or not 0 < observed_confidence < 1:
            raise ValueError("a precision is above 1 and a confidence between 0 and 1")
        self._bounds = (low_per_s, high_per_s)
        self._precision = precision
        self._false = (1 - observed_confidence) / 2
        self._tallies: dict[float, Counter[Meets]] = {}

    def observe(self, rate_per_s: float, meets: Meets) -> None:
        """Record the result at a rate, which need not be the proposed one."""
        if not 0 < rate_per_s < inf:
            raise ValueError("a rate must be positive and finite")
        self._tallies.setdefault(rate_per_s, Counter())[meets] += 1

    def next_rate(self) -> float | None:
        """The rate to observe next, or None when the interval is final."""
        for rate, tally in self._tallies.items():
            if _is_open(tally):
                return rate
        for bound in self._bounds:
            if bound not in self._tallies:
                return bound
        states = self._states()
        gap = self._widest_gap(states)
        if gap is not None:
            return sqrt(gap[0] * gap[1])
        for end in _ends(states):
            if end is not None and not _is_confirmed(self._tallies[end]):
                return end
        return None

    def interval(self) -> CapacityInterval:
        """The interval so far; final once `next_rate` returns None. Raises ValueError before the
        first observation."""
        if not self._tallies:
            raise ValueError("nothing was observed yet")
        states = self._states()
        met, missed = _ends(states)
        # Both of two are wrong, or any two of three.
        wrong_end = 3 * self._false**2 - 2 * self._false**3
        return CapacityInterval(
            highest_met_per_s=met,
            lowest_missed_per_s=missed,
            confidence=max(0.0, 1 - wrong_end * len(self._tallies)),
            observations=sum(tally.total() for tally in self._tallies.values()),
            contradictions=tuple(
                (low, high)
                for low, state in states.items()
                for high, above in states.items()
                if low < high and state == "missed" and above == "met"
            ),
        )

    def _states(self) -> dict[float, State]:
        """The observed rates, rising, each with its present state."""
        return {rate: _state(self._tallies[rate]) for rate in sorted(self._tallies)}

    def _widest_gap(self, states: dict[float, State]) -> tuple[float, float] | None:
        """The two rates that enclose an end, if they are further apart than the precision."""
        met, missed = _ends(states)
        rates = list(states)
        gaps = []
        if met is not None and met != rates[-1]:
            gaps.append((met, rates[rates.index(met) + 1]))
        if missed is not None and missed != rates[0]:
            gaps.append((rates[rates.index(missed) - 1], missed))
        wide = [gap for gap in gaps if gap[1] / gap[0] > self._precision]
        return max(wide, key=lambda gap: gap[1] / gap[0], default=None)


def _ends(states: dict[float, State]) -> tuple[float | None, float | None]:
    """The highest rate up to which all meet the objective, and the lowest from which all miss it:
    the isotonic boundary if the observations are monotone, otherwise an interval around all
    contradictions."""
    met: float | None = None
    for rate, state in states.items():
        if state != "met":
            break
        met = rate
    missed: float | None = None
    for rate, state in reversed(states.items()):
        if state != "missed":
            break
        missed = rate
    return met, missed


def _is_open(tally: Counter[Meets]) -> bool:
    """Whether a rate must be observed again before it has a state."""
    clear = tally["yes"] != tally["no"] and not tally["unclear"]
    reachable = max(tally["yes"], tally["no"]) + MOST_OBSERVATIONS - tally.total() >= MAJORITY
    return not clear and not _is_confirmed(tally) and reachable


def _is_confirmed(tally: Counter[Meets]) -> bool:
    return tally["yes"] != tally["no"] and max(tally["yes"], tally["no"]) >= MAJORITY


def _state(tally: Counter[Meets]) -> State:
    if _is_confirmed(tally) or not tally["unclear"]:
        if tally["yes"] > tally["no"]:
            return "met"
        if tally["no"] > tally["yes"]:
            return "missed"
    return "undecided"


LEAST_RATES = 4


@dataclass(frozen=True)
class Point:
    """The measurement at one rate; the latency is a mean or a percentile, the same for all
    points."""

    offered_per_s: float
    achieved_per_s: float
    latency_ns: float

    @property
    def keeps_up(self) -> bool:
        return self.achieved_per_s >= LEAST_ACHIEVED * self.offered_per_s


@dataclass(frozen=True)
class Curve:
    """Latency against rate: the knee, and the rate of saturation.

    A latency at saturation does not describe the service at its operating point; a curve of at
    least four rates describes both (docs/statistics.md, "Services"). `knee_per_s` is None if the
    rates do not enclose the knee; `saturated_from_per_s` is None if the service kept up with all
    rates; `reason` says what the curve does not show."""

    knee_per_s: float | None
    saturated_from_per_s: float | None
    reason: str = ""


def curve(points: Sequence[Point]) -> Curve:
    """The knee and the saturation of these points, in any order.

    The knee is the measured rate with the greatest power, rate / latency (Kleinrock, "Power and
    deterministic rules of thumb for probabilistic problems in computer communications", ICC 1979):
    beyond it, latency grows faster than throughput. For the mean latency of an M/M/1 queue it is
    half the capacity. It does not depend on the scale of a plot, and is only as precise as the
    rates are close. There is no knee if the greatest power lies at the first rate or at the last
    rate that the service kept up with. Raises ValueError for a rate given twice, or rates and
    latencies that are not positive.
    """
    rising = sorted(points, key=lambda point: point.offered_per_s)
    if len({point.offered_per_s for point in rising}) != len(rising):
        raise ValueError("a curve needs one latency for each rate")
    if any(point.offered_per_s <= 0 or point.latency_ns <= 0 for point in rising):
        raise ValueError("rates and latencies are positive")
    saturated = next((point.offered_per_s for point in rising if not point.keeps_up), None)
    reached = [p for p in rising if saturated is None or p.offered_per_s < saturated]
    if len(rising) < LEAST_RATES:
        return Curve(None, saturated, f"{len(rising)} rates: a curve needs {LEAST_RATES}")
    if not reached:
        return Curve(None, saturated, "saturated at every rate: measure lower rates")
    knee = max(range(len(reached)), key=lambda at: _power(reached[at]))
    if knee == 0:
        return Curve(
            None, saturated, ("latency grows faster than the rate at every rate: measure lower")
        )
    if knee == len(reached) - 1 and saturated is None:
        return Curve(
            None,
            None,
            ("latency grows more slowly than the rate at every rate: measure higher rates"),
        )
    return Curve(reached[knee].offered_per_s, saturated)


def _power(point: Point) -> float:
    return point.offered_per_s / point.latency_ns
