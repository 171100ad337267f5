"""The breakdown of a mean request's time (a mean request takes the mean latency), the upper bound
of the gain that any runtime could bring, and other remedies."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

import numpy as np

from runfair.decision.service_cost import ServiceCost
from runfair.decision.tail import Tail
from runfair.formats.decision import Cause, Part

PARTS: tuple[Part, ...] = get_args(Part)

CLOSES_WITHIN = 0.05
"""The greatest share of the mean latency that may remain unaccounted for (*proposal*). The
resolution of clocks, and means that cover a whole run, cause such a remainder."""

QUEUE_UNKNOWN = (
    "it is unknown how long the service's threads waited for a processor, so the part `other "
    "waits` contains this time"
)


@dataclass(frozen=True)
class Breakdown:
    """The parts of a mean latency, in integer nanoseconds. The sum of the parts is exactly
    `mean_ns`.

    `unaccounted` is the share of the mean that no measured part covers. It is negative if the parts
    exceed the mean. If the other waits were not measured, they are the remainder, and the share is
    0. If the share is more than 5%, `note` explains how it was treated; otherwise `note` is empty.
    `database_ns` is the sum of the queries' times, but queries may overlap. `least_database_ns` is
    a lower limit of the time during which a mean request waited for any query; None if unknown.
    """

    own_cpu_ns: int
    run_queue_ns: int
    database_ns: int
    other_waits_ns: int
    unaccounted: float
    note: str = ""
    least_database_ns: int | None = None

    @property
    def certain_database_ns(self) -> int:
        """The database time without the time that queries may have overlapped. If no lower limit
        is known, a request makes its queries one after another."""
        if self.least_database_ns is None:
            return self.database_ns
        return min(self.database_ns, self.least_database_ns)

    @property
    def exceeding(self) -> float:
        """The measured parts' sum as a multiple of the mean, at least 1. The parts were scaled down
        by this factor."""
        return max(1.0, 1 - self.unaccounted)

    @property
    def mean_ns(self) -> int:
        return sum(self.parts_ns().values())

    def parts_ns(self) -> dict[Part, int]:
        values = (self.own_cpu_ns, self.run_queue_ns, self.database_ns, self.other_waits_ns)
        return dict(zip(PARTS, values, strict=True))

    def share(self, part: Part) -> float:
        return self.parts_ns()[part] / self.mean_ns


def breakdown(service: ServiceCost) -> Breakdown:
    """The breakdown of a service's mean request, over its executions with equal weight.

    The CPU time of a process covers all its threads, not only those that handle the request. The
    sum of the parts can therefore exceed the mean, for example by garbage collection, compilation
    or concurrent queries. If the parts exceed the mean, they are scaled down to the mean; if the
    excess is above 5%, the note says so. Time that no part covers counts as other waits. An unknown
    run-queue time also counts as other waits.
    """
    runs = service.executions
    mean = float(np.mean([one.mean_latency_ns for one in runs]))
    own = float(np.mean([one.own_cpu_ns for one in runs]))
    queued = [one.run_queue_ns for one in runs if one.run_queue_ns is not None]
    # If only some executions measured the other waits, they are unknown for the service.
    queue_known = len(queued) == len(runs)
    queue = float(np.mean(queued)) if queue_known else 0.0
    database = float(np.mean([one.database_ns for one in runs]))
    measured = [one.other_waits_ns for one in runs if one.other_waits_ns is not None]
    other = float(np.mean(measured)) if len(measured) == len(runs) else None
    seen = own + queue + database + (other or 0.0)
    if other is None:
        other = max(mean - seen, 0.0)
        seen += other
    unaccounted = 1 - seen / mean
    if seen > mean:
        own, queue, database, other = (part * mean / seen for part in (own, queue, database, other))
    # The mean is at least 1 ns, because parts are divided by it.
    whole = max(1, round(mean))
    own_ns, queue_ns, database_ns = _rounded_within(whole, own, queue, database)
    return Breakdown(
        own_cpu_ns=own_ns,
        run_queue_ns=queue_ns,
        database_ns=database_ns,
        other_waits_ns=whole - own_ns - queue_ns - database_ns,
        unaccounted=unaccounted,
        note=_note(unaccounted, queue_known),
        least_database_ns=_whole_ns(service.least_database_ns),
    )


def _whole_ns(value: float | None) -> int | None:
    return None if value is None else round(value)


def _rounded_within(whole: int, *parts: float) -> tuple[int, ...]:
    """The parts, rounded to integers so that their sum does not exceed the whole. If three parts
    were rounded up, their sum could exceed the whole by a nanosecond, and the remainder would be
    negative."""
    left, rounded = whole, []
    for part in parts:
        rounded.append(min(round(part), left))
        left -= rounded[-1]
    return tuple(rounded)


def _note(unaccounted: float, queue_known: bool) -> str:
    unknown = "" if queue_known else QUEUE_UNKNOWN
    return "; ".join(text for text in (unknown, _gap(unaccounted)) if text)


def _gap(unaccounted: float) -> str:
    if unaccounted > CLOSES_WITHIN:
        return (
            f"no measurement explains {unaccounted:.0%} of the mean latency, so the part "
            "`other waits` contains this time"
        )
    if unaccounted < -CLOSES_WITHIN:
        return (
            "the measured parts of the latency together exceed the mean latency by "
            f"{-unaccounted:.0%}, because some parts overlap or did not delay requests; "
            "runfair therefore scales all parts down, so that their sum is the mean latency"
        )
    return ""


@dataclass(frozen=True)
class Bound:
    """Bounds of the gain in mean latency, as ratios baseline / candidate: 1.2 is 1.2 times faster.

    `without_own_cpu` removes only the service's own CPU time and its waits for processors.
    `at_most` removes everything except the time in the database; it is infinite if there is no
    database.

    Only `at_most` is an upper bound. A request may make several queries at the same time, so
    `at_most` uses a lower limit of the database time (`database_floor.least_mean_ns`). If this
    limit is unknown, `at_most` assumes that a request makes its queries one after another.

    Inside the process, requests also wait for one another: for an event loop, a worker or a lock
    that another request holds while it computes. Neither the kernel nor the relay reports these
    waits, so they count as other waits. Waits inside the process grow without limit as the
    utilisation of the processor approaches 1. By Pollaczek and Khinchine (M/G/1; Kleinrock,
    *Queueing Systems* I, 1975, section 5.6) such a wait is rate × E[S²] / 2(1 - rate × E[S]), where
    S is the CPU time of a request. If S falls to a tenth, the wait falls to a hundredth or less.
    Means do not show how much of the other waits is of this kind, so `at_most` removes all other
    waits.

    Neither bound reduces the time in the database. The time in the database could also fall if the
    database shares the service's processors, or if the candidate made fewer queries. Fewer queries
    are not a gain of the runtime.
    """

    without_own_cpu: float
    at_most: float

    @property
    def queueing_matters(self) -> bool:
        """Whether the two bounds differ, because other waits could hide queueing for the service's
        own CPU."""
        return self.at_most > 1.1 * self.without_own_cpu


def bound(split: Breakdown) -> Bound:
    """The bound of the gain for a service with this breakdown."""
    gone = split.own_cpu_ns + split.run_queue_ns
    return Bound(
        without_own_cpu=_gain(split.mean_ns, split.mean_ns - gone),
        at_most=_gain(split.mean_ns, split.certain_database_ns),
    )


def _gain(before: int, after: int) -> float:
    return before / after if after > 0 else inf


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
"""If own CPU and run queue together are less than half of the mean latency, most of the latency
does not depend on the runtime."""


def greatest_part(split: Breakdown) -> Part | None:
    """The greatest part of the mean latency. None if the sum of the queries' times is the greatest
    part, but the queries may have overlapped so much that another part is greater."""
    greatest = max(PARTS, key=split.share)
    if greatest != "database" or split.certain_database_ns == split.database_ns:
        return greatest
    others = (value for part, value in split.parts_ns().items() if part != "database")
    greatest_other = max(others) * split.exceeding
    return greatest if split.certain_database_ns >= greatest_other else None


def is_elsewhere(split: Breakdown) -> bool:
    """Whether most of the time is certainly spent outside the runtime, in the database.

    Other waits are not counted as outside, because they may hide queueing for the service's own CPU
    (see `Bound`).
    """
    return split.certain_database_ns > ELSEWHERE * split.mean_ns


def remedies(split: Breakdown, slowest: Tail | None) -> tuple[Remedy, ...]:
    """The things to examine, most likely causes first. The first is the cause that dominates the
    tail, because objectives limit the tail. The second is the greatest part of the mean latency, if
    it is certain. Own CPU has no remedy, because it depends on the runtime."""
    found: list[Remedy] = []
    if slowest is not None and slowest.dominant is not None:
        found += OF_A_TAIL[slowest.dominant]
    greatest = greatest_part(split)
    if greatest is not None:
        found += OF_A_MEAN[greatest]
    return tuple(dict.fromkeys(found))
