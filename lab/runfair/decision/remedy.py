"""What to look at instead of a runtime, by where the time is."""

from typing import Literal

from runfair.decision.breakdown import PARTS, Breakdown
from runfair.decision.tail import Tail
from runfair.formats.decision import Cause, Part

Remedy = Literal[
    "the query",
    "its index",
    "a cache",
    "the pool",
    "locks and other services",
    "processors",
    "the heap and the collector",
    "instances",
]

OF_A_MEAN: dict[Part, tuple[Remedy, ...]] = {
    "own CPU": (),
    "run queue": ("processors",),
    "database": ("the query", "its index", "a cache", "the pool"),
    "other waits": ("the pool", "locks and other services"),
}

OF_A_TAIL: dict[Cause, tuple[Remedy, ...]] = {
    "own CPU": (),
    "run queue": ("processors",),
    "database": ("the query", "its index", "a cache", "the pool"),
    "pause": ("the heap and the collector",),
    "queue": ("instances", "the pool"),
    "other waits": ("the pool", "locks and other services"),
}

ELSEWHERE = 0.5
"""Where less than half of the mean is own CPU and run queue, most of it is not the runtime's."""


def greatest_part(split: Breakdown) -> Part:
    return max(PARTS, key=split.share)


def is_elsewhere(split: Breakdown) -> bool:
    """Whether most of the time is certainly not the runtime's: in the database.

    Other waits do not count, since they may hide queueing for own CPU (`bound`).
    """
    return split.share("database") > ELSEWHERE


def remedies(split: Breakdown, slowest: Tail | None) -> tuple[Remedy, ...]:
    """What to look at, the likeliest first: what dominates the tail, as objectives are about it,
    then the greatest part of the mean. None for own CPU: there the runtime is the matter."""
    found: list[Remedy] = []
    if slowest is not None and slowest.dominant is not None:
        found += OF_A_TAIL[slowest.dominant]
    found += OF_A_MEAN[greatest_part(split)]
    return tuple(dict.fromkeys(found))
