"""The rules that decide whether a rewrite is justified at the operating point, in order.

    1  too few executions or pairs, or a void percentile                     cannot be told
       (exception: a service did not serve the rate, so it misses the
       objective)
    2  even under all doubts, the candidate gained more than any runtime
       could: it does not do the same work                                   cannot be told
    3  the database alone misses the objective: no runtime could meet it     not justified
    4  the candidate misses the objective                                    not justified
    5  the candidate meets the objective, the baseline misses it, and noise
       does not explain the difference                                       justified
       … and noise may explain the difference                                not justified
    6  the candidate meets the objective, and a stated saving certainly pays justified
       … the saving certainly does not pay, and the baseline meets it too    not justified
       … otherwise                                                           cannot be told
    7  the baseline's percentile is at most half of the objective's limit:
       it has room to spare                                                  not justified
    8  the baseline does not miss the objective, and percentile and CPU time
       certainly gain less than is worth a rewrite                           not justified
    9  it is unclear whether one of the two meets the objective              cannot be told
    10 both meet the objective, and most of the time is the database         not justified
    11 both meet the objective, and no gain is shown                         not justified
    12 both meet the objective, a gain is shown, and no saving was stated    not justified

A doubt is used only if it could change the answer. Whether a service meets the objective is decided
by the percentile's bounds if it has bounds, otherwise by its whole 95% interval. A side that a
doubt may have moved by an unknown amount has no limit (`fairness/objective.py`). The burden of
proof lies on the rewrite: without evidence, a rewrite is never justified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from runfair.decision.breakdown import (
    CLOSES_WITHIN,
    Bound,
    Breakdown,
    Remedy,
    bound,
    breakdown,
    is_elsewhere,
    remedies,
)
from runfair.decision.gain import Gain, gains
from runfair.decision.service_cost import ServiceCost, State
from runfair.decision.sizing import BreakEven, Demand, Need, break_even, need
from runfair.decision.tail import Tail
from runfair.errors import UserMistake
from runfair.fairness.objective import limits
from runfair.formats.decision import Outcome, Reason
from runfair.statistics.headline import Headline, headline
from runfair.statistics.objective import Limits, Meets, Objective

LEAST_GAIN = 1.1
"""The least gain that is worth a rewrite, unless the user states another (*proposal*): 10%."""


@dataclass(frozen=True)
class Criteria:
    """The limits for a decision. `noise_floor` is the machine's noise floor, as a fraction.
    `demand` is None if no load was stated. A gain whose interval ends below `least_gain` is too
    small to matter. `measure` is the command of a longer measurement, with its time. `again` is the
    command that repeats the same measurement. `rate_per_s` is the rate of the measured load."""

    objective: Objective
    noise_floor: float = 0.0
    demand: Demand | None = None
    least_gain: float = LEAST_GAIN
    measure: str = ""
    again: str = ""
    rate_per_s: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.least_gain < inf:
            raise UserMistake(
                "the smallest gain must be a ratio of at least 1; for a gain of 10%, for "
                "example, state 1.1"
            )
        if not 0 <= self.noise_floor < inf:
            raise ValueError("a noise floor must be a fraction of at least 0")

    @property
    def smallest_gain(self) -> float:
        """The smallest gain that matters: `least_gain`, or the machine's noise floor if that is
        larger."""
        return max(self.least_gain, 1 + self.noise_floor)


LEAST_EXECUTIONS = 6
"""The least number of executions for a decision. An interval from order statistics needs this
number of executions, and so does every fair figure."""

ROOM = 0.5
"""A percentile has room to spare if its upper limit is at most this share of the objective."""

OUTCOMES: dict[Reason, Outcome] = {
    "void figures": "cannot be told",
    "too few executions": "cannot be told",
    "not the same work": "cannot be told",
    "no runtime could meet it": "not justified",
    "the candidate misses it": "not justified",
    "it meets what the baseline misses": "justified",
    "within the noise": "not justified",
    "it pays": "justified",
    "it does not pay": "not justified",
    "capacity unknown": "cannot be told",
    "payback unclear": "cannot be told",
    "room to spare": "not justified",
    "too small a gain": "not justified",
    "objective unclear": "cannot be told",
    "the time is elsewhere": "not justified",
    "gain unclear": "not justified",
    "no saving stated": "not justified",
}


@dataclass(frozen=True)
class Standing:
    """A service compared with the objective. If the percentile is void, the only possible statement
    is that the service misses the objective; `unserved` is then the reason. `limits` bound the
    percentile; `bounded` says whether doubts changed them, and `advice` how to remove these doubts.
    `need` is None if no load was stated or the capacity is unknown."""

    name: str
    state: State
    unserved: str
    headline: Headline
    limits: Limits
    bounded: bool
    advice: tuple[str, ...]
    meets: Meets
    need: Need | None


@dataclass(frozen=True)
class Decision:
    """The decision on a candidate. `split` and `slowest` describe the baseline, because a rewrite
    should save the baseline's time. `doubts` are sentences that must be shown with every
    statement."""

    reason: Reason
    baseline: Standing
    candidate: Standing
    gain: Gain
    split: Breakdown
    slowest: Tail | None
    break_even: BreakEven | None
    remedies: tuple[Remedy, ...]
    doubts: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        return OUTCOMES[self.reason]


def decide(
    criteria: Criteria,
    baseline: ServiceCost,
    candidates: Sequence[ServiceCost],
    slowest: Tail | None = None,
) -> list[Decision]:
    """A decision on each candidate. `slowest` has the causes of the baseline's slowest requests;
    None if the run recorded no single requests."""
    split = breakdown(baseline)
    most = bound(split)
    return [
        _decision(criteria, baseline, candidate, gain, split, most, slowest)
        for candidate, gain in zip(candidates, gains(baseline, candidates), strict=True)
    ]


def _decision(
    criteria: Criteria,
    baseline: ServiceCost,
    candidate: ServiceCost,
    gain: Gain,
    split: Breakdown,
    most: Bound,
    slowest: Tail | None,
) -> Decision:
    theirs, ours = (standing_of(one, criteria) for one in (baseline, candidate))
    pays = _pays(criteria.demand, theirs.need, ours.need)
    reason = (
        _unfit(baseline, candidate, gain)
        or _impossible(criteria.objective, baseline, ours, gain, most)
        or _by_objective(criteria, theirs, ours, gain)
        or _by_saving(criteria.demand, theirs, ours, pays)
        or _with_room(criteria.objective, theirs)
        or _by_gain(criteria, theirs, ours, gain, split)
    )
    return Decision(
        reason=reason,
        baseline=theirs,
        candidate=ours,
        gain=gain,
        split=split,
        slowest=slowest,
        break_even=pays,
        remedies=() if baseline.unserved else remedies(split, slowest),
        doubts=doubts_about((baseline, candidate), slowest),
    )


def standing_of(service: ServiceCost, criteria: Criteria) -> Standing:
    over_executions = headline(service.percentiles_ns())
    between = limits(over_executions, service.bounds_ns, service.open_sides)
    met = criteria.objective.met_by(
        between if service.state != "void" else None, served=not service.unserved
    )
    demand = criteria.demand
    return Standing(
        service.name,
        service.state,
        service.unserved,
        over_executions,
        between,
        service.bounds_ns is not None or any(service.open_sides),
        service.advice,
        met,
        None if demand is None else need(service, demand.load_per_s, demand.head_room),
    )


def _pays(demand: Demand | None, theirs: Need | None, ours: Need | None) -> BreakEven | None:
    if demand is None or demand.price is None or demand.effort is None:
        return None
    if theirs is None or ours is None:
        return None
    return break_even(theirs, ours, demand.price, demand.effort)


def _unfit(baseline: ServiceCost, candidate: ServiceCost, gain: Gain) -> Reason | None:
    """Rule 1: whether the figures allow any statement."""
    least = min(len(baseline.executions), len(candidate.executions), gain.pairs)
    if least < LEAST_EXECUTIONS:
        return "too few executions"
    void = any(one.state == "void" and not one.unserved for one in (baseline, candidate))
    return "void figures" if void else None


def _impossible(
    objective: Objective, baseline: ServiceCost, candidate: Standing, gain: Gain, most: Bound
) -> Reason | None:
    """Rules 2 and 3: a runtime cannot answer a request before the database answers its queries."""
    if baseline.unserved:
        return None
    database_ns = baseline.database_percentiles_ns()
    hopeless = (
        database_ns is not None
        and database_ns.min() > 0
        and objective.met_by(headline(database_ns)) == "no"
    )
    measured = gain.mean_latency
    # The bound is computed from measured means, so its error is the error of their accounting.
    too_good = (
        measured is not None
        and measured.low is not None
        and measured.low > most.at_most * (1 + CLOSES_WITHIN)
    )
    if too_good or (hopeless and candidate.meets == "yes"):
        return "not the same work"
    return "no runtime could meet it" if hopeless else None


def _by_objective(
    criteria: Criteria, baseline: Standing, candidate: Standing, gain: Gain
) -> Reason | None:
    """Rules 4 and 5: whether the candidate meets the objective, compared with whether the baseline
    meets it."""
    if candidate.meets == "no":
        return "the candidate misses it"
    if candidate.meets == "yes" and baseline.meets == "no":
        # If there is no ratio, or if its spread is unknown, the two intervals decide.
        if gain.is_within_noise(criteria.noise_floor):
            return "within the noise"
        return "it meets what the baseline misses"
    return None


def _by_saving(
    demand: Demand | None, baseline: Standing, candidate: Standing, pays: BreakEven | None
) -> Reason | None:
    """Rule 6: whether a stated saving pays."""
    if demand is None or demand.effort is None or candidate.meets != "yes":
        return None
    if pays is None:
        return "capacity unknown"
    if pays.latest_months <= demand.payback_months:
        return "it pays"
    if pays.soonest_months <= demand.payback_months:
        return "payback unclear"
    return "it does not pay" if baseline.meets == "yes" else "objective unclear"


def _with_room(objective: Objective, baseline: Standing) -> Reason | None:
    """Rule 7: the baseline has room to spare."""
    high = baseline.limits.high
    room = baseline.meets == "yes" and high is not None and high <= ROOM * objective.limit_ns
    return "room to spare" if room else None


def _by_gain(
    criteria: Criteria, baseline: Standing, candidate: Standing, gain: Gain, split: Breakdown
) -> Reason:
    """Rules 8 to 12: the candidate's gain."""
    if baseline.meets != "no" and gain.is_below(criteria.smallest_gain):
        return "too small a gain"
    if "unclear" in (baseline.meets, candidate.meets):
        return "objective unclear"
    if is_elsewhere(split):
        return "the time is elsewhere"
    cheaper = gain.own_cpu is not None and gain.own_cpu.low is not None and gain.own_cpu.low > 1
    if not cheaper and not gain.is_shown(criteria.noise_floor):
        return "gain unclear"
    return "no saving stated"


def doubts_about(services: Sequence[ServiceCost], slowest: Tail | None) -> tuple[str, ...]:
    """The doubts about the baseline, which comes first, and about candidates. `slowest` has the
    causes of the baseline's slowest requests."""
    own = [f"{one.name}: {text}" for one in services for text in one.findings]
    own += [
        (
            f"{one.name}: in {never} of {len(one.executions)} executions so many requests failed "
            "that the objective's percentile falls on a failed request; this percentile therefore "
            "counts as infinitely long"
        )
        for one in services
        if (never := int(np.isinf(one.percentiles_ns()).sum()))
    ]
    own += [
        f"{one.name}: {note}"
        for one in services
        if (note := breakdown(one).note) and not one.unserved
    ]
    own += [
        f"{one.name}: the service missed the objective at {missed:g} requests/s, but met the "
        f"objective at the higher rate of {met:g} requests/s, so the interval of the capacity "
        "contains both rates"
        for one in services
        if one.capacity is not None
        for missed, met in one.capacity.contradictions
    ]
    own += [
        f"{one.name}: during the search for the capacity, the network was full or lost TCP "
        "segments, so the true capacity may be higher"
        for one in services
        if one.capacity_slowed
    ]
    if slowest is not None:
        told = (slowest.reason, slowest.doubt)
        own += [f"{services[0].name}: {text}" for text in told if text]
    return tuple(own)
