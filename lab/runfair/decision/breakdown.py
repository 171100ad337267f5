"""Where a mean request's time goes."""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from runfair.decision.service_cost import ServiceCost
from runfair.formats.decision import Part

PARTS: tuple[Part, ...] = get_args(Part)

CLOSES_WITHIN = 0.05
"""Of the mean latency (*proposal*): what clocks and means over a whole run leave open."""

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
