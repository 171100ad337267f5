"""The rates that a service bears: its capacity, and the knee of latency against rate.

The capacity is the highest rate at which an objective is still met, by bisection with confidence.

A search that asks for one rate after another and is told whether the objective was met there; it
does no measuring. Rates halve on a logarithmic scale. Noise is met where it matters and not
everywhere: a clear observation moves the search on at once, but the two ends that the search closes
in on count only by a majority, two of up to three observations. One false observation therefore
costs a few more rates and not the answer: the search runs up against it, the majority there turns,
and it goes on beyond. Waeber, Frazier and Henderson ("Bisection search with noisy responses", SIAM
J. Control and Optimization 51, 2013) ask every rate repeatedly instead, for the same confidence at
several times the observations.

An observation that is unclear, because its interval lies across the limit, is repeated; a rate that
stays unclear belongs to neither side, and then both of its sides are searched, so that the answer
is as wide as what is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

from runfair.statistics.objective import LEAST_ACHIEVED, Meets

PRECISION = 1.04
"""The search ends where its ends are this ratio apart: the middle is then off by at most 2%."""

MAJORITY = 2
MOST_OBSERVATIONS = 3
"""Two of up to three: the least that outvotes one false observation."""

ASSUMES = (
    "observations are independent, and each is false no more often than its own interval says; "
    "those of one warm process are not quite independent"
)
"""What the stated confidence rests on."""

State = Literal["met", "missed", "undecided"]


@dataclass(frozen=True)
class CapacityInterval:
    """`highest_met_per_s` None: not even the lowest rate was shown to meet the objective.
    `lowest_missed_per_s` None: the highest rate did not miss it; more was not asked.

    `confidence` is at least that of both ends being on their side, by the union bound over all
    rates observed, if observations are independent and wrong as seldom as was stated; observe a
    rate in processes of their own, or it is less. `contradictions` are pairs of a rate that missed
    the objective and a higher one that met it: the machine or the service changed, and the interval
    is widened to hold them.
    """

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    observations: int
    contradictions: tuple[tuple[float, float], ...] = ()


class Capacity:
    """A search between two rates. Ask `next_rate`, measure there, tell `observe`; None ends it.

    `observed_confidence` is that of the two-sided interval by which an observation is judged, so
    that a clear one is false with half of what that leaves. Raises ValueError for rates that are
    not positive and rising, or a precision of no more than 1.
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
        """What was seen at a rate, whether or not it was the one asked for."""
        if not 0 < rate_per_s < inf:
            raise ValueError("a rate is positive and finite")
        self._tallies.setdefault(rate_per_s, Counter())[meets] += 1

    def next_rate(self) -> float | None:
        """The rate to observe next, or None when the interval stands."""
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
        """The interval that is known; provisional until `next_rate` returns None. Raises ValueError
        if nothing was observed yet."""
        if not self._tallies:
            raise ValueError("nothing was observed yet")
        states = self._states()
        met, missed = _ends(states)
        # Two of two wrong, or two of three with the wrong ones in any place.
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
        """Each rate observed, rising, and what it stands for at present."""
        return {rate: _state(self._tallies[rate]) for rate in sorted(self._tallies)}

    def _widest_gap(self, states: dict[float, State]) -> tuple[float, float] | None:
        """The rates between which an end still lies, if further apart than the precision."""
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
    """The highest rate up to which all meet the objective, the lowest from which all miss it: on
    monotone observations the isotonic boundary, and around all contradictions otherwise."""
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
    """Whether a rate must be observed again before anything can be said of it."""
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
    """What was seen at one rate; the latency is a mean or a percentile, the same one all along."""

    offered_per_s: float
    achieved_per_s: float
    latency_ns: float

    @property
    def keeps_up(self) -> bool:
        return self.achieved_per_s >= LEAST_ACHIEVED * self.offered_per_s


@dataclass(frozen=True)
class Curve:
    """Latency against rate: where it bends, and where the service no longer keeps up. A figure at
    saturation says nothing of a service at its operating point; a curve says both, and needs at
    least four rates to be one (docs/statistics.md, "Services"). `knee_per_s` is None if the rates
    do not enclose it, `saturated_from_per_s` if the service kept up with all; `reason` says what
    the curve does not show."""

    knee_per_s: float | None
    saturated_from_per_s: float | None
    reason: str = ""


def curve(points: Sequence[Point]) -> Curve:
    """The bend of a curve, in whatever order its points come.

    The knee is the rate measured that has the greatest power, which is rate / latency (Kleinrock,
    "Power and deterministic rules of thumb for probabilistic problems in computer communications",
    ICC 1979): the last rate at which more load is worth its delay, half the capacity of an M/M/1
    queue with the mean. It is as coarse as the rates are apart, depends on no scale of a plot, and
    is none if the greatest power lies at the first or the last rate kept up with. Raises
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
