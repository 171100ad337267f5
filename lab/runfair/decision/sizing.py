"""The instances, memory and cost that a load needs at a given price, and the time until a rewrite's
effort is repaid."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

from runfair.decision.service_cost import ServiceCost
from runfair.errors import UserMistake

HEAD_ROOM = 0.3
PAYBACK_MONTHS = 12.0
"""The default values (*proposals*). A third of the capacity stays free, for bursts of requests and
for the load of an instance that failed. A saving must repay the effort of a rewrite within a
year."""


@dataclass(frozen=True)
class Price:
    """The price of an instance and of its memory per month, in any currency."""

    instance_per_month: float
    gib_per_month: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.instance_per_month < inf and 0 <= self.gib_per_month < inf):
            raise UserMistake(
                "a price (--instance-price, --gib-price) cannot be negative; state the cost "
                "per month"
            )
        if self.instance_per_month == self.gib_per_month == 0:
            raise UserMistake(
                "without a price, the saving cannot be computed; state --instance-price or "
                "--gib-price"
            )


@dataclass(frozen=True)
class Demand:
    """The load to serve. A `price` gives the cost of the load. An `effort` (the cost of the rewrite
    in the same currency) is compared with the saving within `payback_months`."""

    load_per_s: float
    price: Price | None = None
    effort: float | None = None
    payback_months: float = PAYBACK_MONTHS
    head_room: float = HEAD_ROOM

    def __post_init__(self) -> None:
        if not 0 < self.load_per_s < inf:
            raise UserMistake(
                "--load must be greater than 0; state the number of requests per second"
            )
        if not 0 <= self.head_room < 1:
            raise UserMistake(
                "--head-room must be a fraction of the capacity; for example, state 0.3 for 30%"
            )
        if self.effort is not None and not 0 <= self.effort < inf:
            raise UserMistake("--effort cannot be negative; state the cost of the rewrite")
        if self.effort is not None and self.price is None:
            raise UserMistake(
                "without a price, --effort cannot be compared with the saving; state "
                "--instance-price or --gib-price"
            )
        if not 0 < self.payback_months < inf:
            raise UserMistake("--payback must be greater than 0; state a number of months")


GIB = 2**30


@dataclass(frozen=True)
class Need:
    """The number of instances that a load needs. The number of instances is at most `most`,
    computed from the highest rate at which an instance met the objective. The number of instances
    is at least `fewest`, computed from the lowest rate at which an instance missed the objective;
    without such a rate, `fewest` is 1. `most_memory_bytes` is the memory of `most` instances.
    `measured` is the number of instances that were measured together."""

    fewest: int
    most: int
    fewest_memory_bytes: int
    most_memory_bytes: int
    measured: int = 1

    def cost_per_month(self, price: Price) -> tuple[float, float]:
        """The least and the greatest cost per month."""
        least, greatest = (
            instances * price.instance_per_month + memory_bytes / GIB * price.gib_per_month
            for instances, memory_bytes in (
                (self.fewest, self.fewest_memory_bytes),
                (self.most, self.most_memory_bytes),
            )
        )
        return least, greatest


@dataclass(frozen=True)
class BreakEven:
    """The months until the saving has paid for the effort, at the earliest and at the latest;
    infinite if the effort is never repaid. Savings are per month; they are negative if the
    candidate costs more."""

    least_saving_per_month: float
    greatest_saving_per_month: float
    soonest_months: float
    latest_months: float


def need(service: ServiceCost, load_per_s: float, head_room: float) -> Need | None:
    """The instances that serve a load within the objective and keep `head_room` of their capacity
    free.

    The result is None if the capacity is unknown or lacks a lower limit. If several instances were
    measured together, each is assumed to have served an equal part. Memory is the greatest peak at
    the operating point. At its capacity an instance may need more.
    """
    found = service.capacity
    if found is None or found.highest_met_per_s is None:
        return None
    missed = inf if found.lowest_missed_per_s is None else found.lowest_missed_per_s
    fewest, most = (
        max(1, ceil(load_per_s * service.instances / (rate * (1 - head_room))))
        for rate in (missed, found.highest_met_per_s)
    )
    together = service.peak_memory_bytes
    least, greatest = (ceil(count * together / service.instances) for count in (fewest, most))
    return Need(fewest, most, least, greatest, service.instances)


def break_even(baseline: Need, candidate: Need, price: Price, effort: float) -> BreakEven:
    """The smallest and the greatest saving. The smallest saving assumes the candidate's greatest
    cost and the baseline's least cost; the greatest saving assumes the opposite."""
    theirs, ours = (one.cost_per_month(price) for one in (baseline, candidate))
    least, greatest = theirs[0] - ours[1], theirs[1] - ours[0]
    return BreakEven(least, greatest, _months(effort, greatest), _months(effort, least))


def _months(effort: float, saving_per_month: float) -> float:
    return effort / saving_per_month if saving_per_month > 0 else inf
