"""What the engineer states: the objective, and if cost is the point, load, price and effort."""

from dataclasses import dataclass
from math import inf

from runfair.errors import UserMistake
from runfair.statistics.objective import Objective

HEAD_ROOM = 0.3
PAYBACK_MONTHS = 12.0
LEAST_GAIN = 1.1
"""Defaults that a question may state otherwise (*proposals*): a third of the capacity kept free for
bursts and a lost neighbour; an effort that comes back within a year; a gain below 10% is not worth
writing anything anew."""


@dataclass(frozen=True)
class Price:
    """What an instance and its memory cost a month, in any one currency."""

    instance_per_month: float
    gib_per_month: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.instance_per_month < inf and 0 <= self.gib_per_month < inf):
            raise UserMistake("a price cannot be negative: state what an instance costs a month")
        if self.instance_per_month == self.gib_per_month == 0:
            raise UserMistake("a price of nothing saves nothing: state an instance's or a GiB's")


@dataclass(frozen=True)
class Demand:
    """What is to be served: a load alone says how many instances that takes, a `price` what they
    cost, and an `effort`, the rewrite's cost in the price's currency, whether it comes back within
    `payback_months`."""

    load_per_s: float
    price: Price | None = None
    effort: float | None = None
    payback_months: float = PAYBACK_MONTHS
    head_room: float = HEAD_ROOM

    def __post_init__(self) -> None:
        if not 0 < self.load_per_s < inf:
            raise UserMistake("the load must be positive: state the requests a second to serve")
        if not 0 <= self.head_room < 1:
            raise UserMistake("the head-room is a share of the capacity: state 0.3 for 30%")
        if self.effort is not None and not 0 <= self.effort < inf:
            raise UserMistake("the effort cannot be negative: state what the rewrite costs")
        if self.effort is not None and self.price is None:
            raise UserMistake(
                "an effort is weighed against a price: state an instance's or a GiB's"
            )
        if not 0 < self.payback_months < inf:
            raise UserMistake("the payback time must be positive: state it in months")


@dataclass(frozen=True)
class Question:
    """`noise_floor` is the machine's, a fraction. `demand` None: cost is not the point, or not
    stated. A gain whose interval ends below `least_gain` is too small to have. `measure` is
    a longer measurement, as a command with its time. `again` repeats the same measurement."""

    objective: Objective
    noise_floor: float = 0.0
    demand: Demand | None = None
    least_gain: float = LEAST_GAIN
    measure: str = ""
    again: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.least_gain < inf:
            raise UserMistake("the least gain is a ratio of 1 or more: state 1.1 for 10%")
        if not 0 <= self.noise_floor < inf:
            raise ValueError("a noise floor is a fraction, not negative")

    @property
    def smallest_gain(self) -> float:
        """What a gain must reach to be one: never less than the machine makes by itself."""
        return max(self.least_gain, 1 + self.noise_floor)
