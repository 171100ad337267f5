"""A service's capacity, by a search over rates, and the knee of its latency curve.

The capacity is the highest rate at which an objective is still met.

The search proposes one rate after another; the caller measures, and reports whether the objective
was met. The search bisects the rates on a logarithmic scale. Observations are noisy, so the
observations that decide the answer are repeated. After one clear observation, the search moves to
the next rate. But each end of the final interval needs a majority: two of up to three observations
must agree. A false observation therefore costs a few more rates, but does not make the answer
wrong: the search approaches the wrong end, further observations there outvote the false
observation, and the search continues beyond it. Waeber, Frazier and Henderson ("Bisection search
with noisy responses", SIAM J. Control and Optimization 51, 2013) repeat the observation at every
rate instead, which needs several times as many observations for the same confidence.

An observation is unclear if its confidence interval contains the objective's limit. An unclear
observation is repeated. If a rate stays unclear, the rates below and above it are both searched, so
the answer includes the whole unclear range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

from runfair.statistics.objective import LEAST_ACHIEVED, Meets

PRECISION = 1.04
"""The search ends when the ratio of its two ends is at most this. The middle between them then has
an error of at most 2%."""

MAJORITY = 2
MOST_OBSERVATIONS = 3
"""The majority is two of up to three observations. Fewer than three observations cannot outvote one
false observation."""

ASSUMES = (
    "the measurements are independent of each other (measurements in the same warm process are "
    "not completely independent), and that their confidence intervals contain the true value at "
    "least as often as stated"
)
"""The assumptions of the stated confidence, as text."""

State = Literal["met", "missed", "undecided"]


@dataclass(frozen=True)
class CapacityInterval:
    """The interval that contains the capacity. `highest_met_per_s` is None if not even the lowest
    rate was shown to meet the objective. `lowest_missed_per_s` is None if the highest searched rate
    did not miss the objective.

    `confidence` is a lower bound of the probability that both ends are right, computed by the union
    bound over all observed rates. The confidence assumes that observations are independent, and
    wrong no more often than stated. Use a fresh process for each observation. `contradictions` are
    pairs of a rate that missed the objective and a higher rate that met it. If there are
    contradictions, the machine or the service changed, and the interval is widened so that it
    contains all contradictions.
    """

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    observations: int
    contradictions: tuple[tuple[float, float], ...] = ()


class Capacity:
    """A search between two rates. The caller measures at `next_rate` and passes the result to
    `observe`, until `next_rate` is None.

    `observed_confidence` is the confidence of the two-sided interval that judges an observation: at
    95%, a clear observation is false with a probability of 2.5%. Raises ValueError if the rates are
    not positive and rising, or if the precision is not greater than 1.
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
            raise ValueError(
                "the precision (the interval's upper end divided by its lower end) must be above "
                "1, and the confidence must be between 0 and 1"
            )
        self._bounds = (low_per_s, high_per_s)
        self._precision = precision
        self._false = (1 - observed_confidence) / 2
        self._tallies: dict[float, Counter[Meets]] = {}

    def observe(self, rate_per_s: float, meets: Meets) -> None:
        """Record the result at a rate, which need not be the proposed rate."""
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
        """The interval so far. The interval is final when `next_rate` returns None. Raises
        ValueError before the first observation."""
        if not self._tallies:
            raise ValueError("nothing was observed yet")
        states = self._states()
        met, missed = _ends(states)
        # The probability that an end is wrong: both of two observations are false, or any two of
        # three.
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
        """The observed rates in rising order, each with its present state."""
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
    """The highest rate up to which all observed rates meet the objective, and the lowest rate from
    which on all observed rates miss it. If the observations are monotone, the two rates are the
    isotonic boundary. If the observations are not monotone, the two rates enclose all
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
    """Whether a rate must be observed again before the search knows its state."""
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
    """The measurement at one rate. The latency is the mean or a percentile, and must be the same
    for all points of a curve."""

    offered_per_s: float
    achieved_per_s: float
    latency_ns: float

    @property
    def keeps_up(self) -> bool:
        return self.achieved_per_s >= LEAST_ACHIEVED * self.offered_per_s


@dataclass(frozen=True)
class Curve:
    """Latency against rate: the knee, and the rate of saturation.

    A latency at saturation does not describe the service at its operating point. A curve of at
    least four rates describes the service in both states (docs/statistics.md, "Services").
    `knee_per_s` is None if the rates do not enclose the knee; `saturated_from_per_s` is None if the
    service kept up with all rates; `reason` says why the knee is missing."""

    knee_per_s: float | None
    saturated_from_per_s: float | None
    reason: str = ""


def curve(points: Sequence[Point]) -> Curve:
    """The knee and the saturation of these points, which may be in any order.

    The knee is the measured rate with the greatest power, rate / latency (Kleinrock, "Power and
    deterministic rules of thumb for probabilistic problems in computer communications", ICC 1979).
    Beyond the knee, latency grows faster than throughput. For the mean latency of an M/M/1 queue
    the knee is half the capacity. The knee does not depend on the scale of a plot. The precision of
    the knee is the distance between neighbouring rates. There is no knee if the greatest power lies
    at the first rate or at the last rate that the service kept up with. Raises ValueError if a rate
    is given twice, or if a rate or a latency is not positive.
    """
    rising = sorted(points, key=lambda point: point.offered_per_s)
    if len({point.offered_per_s for point in rising}) != len(rising):
        raise ValueError("a curve needs one latency for each rate")
    if any(point.offered_per_s <= 0 or point.latency_ns <= 0 for point in rising):
        raise ValueError("rates and latencies must be positive")
    saturated = next((point.offered_per_s for point in rising if not point.keeps_up), None)
    reached = [p for p in rising if saturated is None or p.offered_per_s < saturated]
    if len(rising) < LEAST_RATES:
        return Curve(
            None,
            saturated,
            f"only {len(rising)} rates were measured, and at least {LEAST_RATES} are needed",
        )
    if not reached:
        return Curve(
            None,
            saturated,
            "the service is saturated at every measured rate; measure lower rates",
        )
    knee = max(range(len(reached)), key=lambda at: _power(reached[at]))
    if knee == 0:
        return Curve(
            None,
            saturated,
            (
                "the knee (the rate at which rate divided by latency is greatest) is not "
                "above the lowest measured rate; measure lower rates"
            ),
        )
    if knee == len(reached) - 1 and saturated is None:
        return Curve(
            None,
            None,
            (
                "the knee (the rate at which rate divided by latency is greatest) is not "
                "below the highest measured rate; measure higher rates"
            ),
        )
    return Curve(reached[knee].offered_per_s, saturated)


def _power(point: Point) -> float:
    return point.offered_per_s / point.latency_ns
