"""The breakdown of a mean request's time, the bound of any runtime's gain, and other remedies."""

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
"""The share of the mean latency that may stay unaccounted for, because of clocks and of means over
a whole run (*proposal*)."""

QUEUE_UNKNOWN = (
    "the time that the service's threads waited for a processor is unknown, and counts as "
    "other waits"
)


@dataclass(frozen=True)
class Breakdown:
    """The parts of a mean latency, integer nanoseconds that sum to exactly `mean_ns`.

    `unaccounted` is the share of the mean that no measured part covers; below 0 the parts exceed
    the mean. It is 0 if the other waits were not measured, because they are then the remainder.
    `note` explains the treatment of more than 5%; it is empty otherwise.
    """

    own_cpu_ns: int
    run_queue_ns: int
    database_ns: int
    other_waits_ns: int
    unaccounted: float
    note: str = ""

    @property
    def mean_ns(self) -> int:
        return sum(self.parts_ns().values())

    def parts_ns(self) -> dict[Part, int]:
        values = (self.own_cpu_ns, self.run_queue_ns, self.database_ns, self.other_waits_ns)
        return dict(zip(PARTS, values, strict=True))

    def share(self, part: Part) -> float:
        return self.parts_ns()[part] / self.mean_ns

    @property
    def closes(self) -> bool:
        return not self.note


def breakdown(service: ServiceCost) -> Breakdown:
    """The breakdown of a service's mean request, over its executions with equal weight.

    A process's CPU time covers all its threads and not only the request's path: collection and
    compilation beside the request, or concurrent queries, can make the parts exceed the mean. The
    parts are then scaled down to the mean, and the note says so if the excess is above 5%. Time
    that no part covers counts as other waits, and so does an unknown run queue.
    """
    runs = service.executions
    mean = float(np.mean([one.mean_latency_ns for one in runs]))
    own = float(np.mean([one.own_cpu_ns for one in runs]))
    queued = [one.run_queue_ns for one in runs if one.run_queue_ns is not None]
    # Waits that only some executions measured are unknown for the service.
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
    # At least 1 ns, so that shares of the mean exist.
    whole = max(1, round(mean))
    own_ns, queue_ns, database_ns = _rounded_within(whole, own, queue, database)
    return Breakdown(
        own_cpu_ns=own_ns,
        run_queue_ns=queue_ns,
        database_ns=database_ns,
        other_waits_ns=whole - own_ns - queue_ns - database_ns,
        unaccounted=unaccounted,
        note=_note(unaccounted, queue_known),
    )


def _rounded_within(whole: int, *parts: float) -> tuple[int, ...]:
    """The parts rounded to integers whose sum does not exceed the whole: rounding up three times
    could exceed it by a nanosecond, and the remainder would be negative."""
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
            f"{unaccounted:.0%} of the mean latency is not explained by any account, "
            "and counts as other waits"
        )
    if unaccounted < -CLOSES_WITHIN:
        return (
            f"the parts exceed the mean latency by {-unaccounted:.0%} and are scaled down: "
            "some of them happened at once, or beside the requests"
        )
    return ""


@dataclass(frozen=True)
class Bound:
    """Bounds of the gain in mean latency, as ratios baseline / candidate: 1.2 is 1.2 times faster.

    `without_own_cpu` removes the service's own CPU time and its waits for processors, and nothing
    else. `at_most` removes everything but the database: infinite without a database.

    Only `at_most` is an upper bound. Requests also wait for one another inside the process, for an
    event loop, a worker or a lock that another request holds while it computes. Kernel and relay do
    not see these waits, so they count as other waits, and they grow without limit as the processor
    fills up. By Pollaczek and Khinchine (M/G/1; Kleinrock, *Queueing Systems* I, 1975, section 5.6)
    such a wait is rate × E[S²] / 2(1 - rate × E[S]): with a tenth of the CPU time S it falls to a
    hundredth or less. Means do not show how much of the other waits is of this kind, so the bound
    removes all of them.

    Neither bound reduces the time in the database. That time would fall too if the database shares
    the service's processors, or if the candidate made fewer queries; the latter is no gain of a
    runtime.
    """

    without_own_cpu: float
    at_most: float

    @property
    def queueing_matters(self) -> bool:
        """Whether the two bounds differ: other waits could hide queueing for own CPU."""
        return self.at_most > 1.1 * self.without_own_cpu


def bound(split: Breakdown) -> Bound:
    """The bound for a service with this breakdown."""
    gone = split.own_cpu_ns + split.run_queue_ns
    return Bound(
        without_own_cpu=_gain(split.mean_ns, split.mean_ns - gone),
        at_most=_gain(split.mean_ns, split.database_ns),
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
"""If own CPU and run queue are less than half of the mean, most of it is not the runtime's."""


def greatest_part(split: Breakdown) -> Part:
    return max(PARTS, key=split.share)


def is_elsewhere(split: Breakdown) -> bool:
    """Whether most of the time is certainly outside the runtime: in the database.

    Other waits do not count, because they may hide queueing for own CPU (see `Bound`).
    """
    return split.share("database") > ELSEWHERE


def remedies(split: Breakdown, slowest: Tail | None) -> tuple[Remedy, ...]:
    """What to examine, the likeliest first: the cause that dominates the tail, because objectives
    are about the tail, then the greatest part of the mean. No remedy for own CPU, because there the
    runtime matters."""
    found: list[Remedy] = []
    if slowest is not None and slowest.dominant is not None:
        found += OF_A_TAIL[slowest.dominant]
    found += OF_A_MEAN[greatest_part(split)]
    return tuple(dict.fromkeys(found))
