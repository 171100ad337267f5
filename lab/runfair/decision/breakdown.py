"""Where a mean request's time goes, what any runtime could gain of it, and what else to look at."""

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
"""The share of the mean latency that clocks and means over a whole run leave open (*proposal*)."""

QUEUE_UNKNOWN = (
    "the time its threads waited for a processor is unknown here; it stands among the other waits"
)


@dataclass(frozen=True)
class Breakdown:
    """The parts of a mean latency, integer nanoseconds that sum to exactly `mean_ns`.

    `unaccounted` is what the measured parts lack of the mean, as a share of it; below 0 they exceed
    it. It is 0 where other waits were not measured but are what is left. `note` says what was done
    about more than 5%; it is empty otherwise.
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
    """The split of a service's mean request, over its executions with equal weight.

    A process's CPU time is an account of all its threads and not of the request's path alone:
    collecting and compiling beside the request, or queries made at once, can make the parts exceed
    the mean. They are then scaled down to it, and that is said where it is more than 5%. What they
    lack of the mean counts among the other waits, and so does a run queue that is unknown.
    """
    runs = service.executions
    mean = float(np.mean([one.mean_latency_ns for one in runs]))
    own = float(np.mean([one.own_cpu_ns for one in runs]))
    queued = [one.run_queue_ns for one in runs if one.run_queue_ns is not None]
    # Waits that some executions did not measure are not known for the service.
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
    """The parts in integers of which each leaves room for the next: rounding up three times could
    exceed the whole by a nanosecond, and the rest would be negative."""
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
            f"{unaccounted:.0%} of the mean latency is not accounted for; "
            "it stands among the other waits"
        )
    if unaccounted < -CLOSES_WITHIN:
        return (
            f"the parts exceed the mean latency by {-unaccounted:.0%} and are scaled down: "
            "some of them happened at once, or beside the requests"
        )
    return ""


@dataclass(frozen=True)
class Bound:
    """Gains in mean latency as ratios, baseline / whatever could come: 1.2 is 1.2 times faster.

    `without_own_cpu` sets the service's own CPU time and its wait for processors to nothing, and
    leaves everything else. `at_most` leaves the database alone: infinite if there is none.

    Only `at_most` is an upper bound. Requests also wait for one another inside the process, for an
    event loop, a worker or a lock that another request's CPU time holds: kernel and relay do not
    see that, so it stands among the other waits, and it grows without limit as the processor fills
    up. By Pollaczek and Khinchine (M/G/1; Kleinrock, *Queueing Systems* I, 1975, section 5.6) such
    a wait is rate × E[S²] / 2(1 - rate × E[S]), which a tenth of the CPU time S makes a hundredth
    and less. How much of the other waits is of this kind cannot be told from means, and so the
    bound grants all of them.

    Neither grants less time in the database. It would fall too where the database shares the
    service's processors, or if the candidate asked less of it; the latter is no gain of a runtime.
    """

    without_own_cpu: float
    at_most: float

    @property
    def queueing_matters(self) -> bool:
        """Whether the two say different things: other waits could hide queueing for own CPU."""
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
