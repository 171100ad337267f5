"""The slowest requests of a service, each compared with the events while it was under way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from runfair.decision.database_time import (
    DatabaseTimes,
    asked_of,
    column_ns,
    database_times,
)
from runfair.decision.limits import Limits, processor_times
from runfair.decision.tail import Tail, tail
from runfair.evidence.load import LoadEvidence, Queries, answered_rows
from runfair.evidence.pauses import PauseEvidence
from runfair.evidence.reading import Traces
from runfair.formats.decision import Cause
from runfair.formats.place import Location
from runfair.statistics.array import IntArray
from runfair.statistics.pauses import shrunk, widened
from runfair.statistics.percentile import rank

USUAL_REQUESTS = 2_000
"""The size of the sample of other requests. The sample is spread over the load, and only its
medians are used."""


def slowest(
    load: LoadEvidence, pauses: PauseEvidence | None, traces: Traces, share: float
) -> Tail | None:
    """The tail above the percentile `share` of the steady part's answered requests.

    The result is None if there are no such requests. The result is also None if several instances
    shared the load, because it is then unknown which instance's pauses and processor time belong to
    a request. The parts of a request do not overlap. The time during which the runtime stood still
    is `pause`, even if the request also waited for something else. The other parts before sending
    are `queue` (the wait for a connection) and the generator's `send lag`. Between sending and
    answer they are the time of the request's queries, and upper limits of the service's CPU time
    and run-queue delay."""
    if load.result.targets:
        return None
    rows = traces.records.rows
    answered = answered_rows(traces.records)
    steady = np.flatnonzero(answered & (rows["intended_ns"] >= load.steady_from_ns))
    if not len(steady):
        return None
    latencies = column_ns(rows, "done_ns")[steady] - column_ns(rows, "intended_ns")[steady]
    threshold_ns = int(np.sort(latencies)[rank(share, len(latencies)) - 1])
    others = steady[latencies <= threshold_ns]
    every = max(1, len(others) // USUAL_REQUESTS)
    chosen = np.concatenate((steady[latencies > threshold_ns], others[::every]))
    stops = _Stops.of(pauses, load.place)
    began_ns = load.result.started.monotonic_ns
    looked = rows[chosen]
    intended, sent, done = (
        column_ns(looked, name) for name in ("intended_ns", "sent_ns", "done_ns")
    )
    free = np.clip(column_ns(looked, "free_ns"), intended, sent)
    # The time between the sending of a request and its answer, without pauses.
    served = stops.at_most(sent, done).astype(np.float64)
    parts: dict[Cause, Limits] = {
        "queue": stops.running(intended, free),
        "send lag": stops.running(free, sent),
    }
    if pauses is not None:
        running = stops.running(intended, done)
        whole = (done - intended).astype(np.float64)
        parts["pause"] = Limits(whole - running.most_ns, whole - running.least_ns)
    found = _database(rows, answered, chosen, traces.queries, load, pauses)
    if found is not None and found.limits is not None:
        parts["database"] = found.limits.within(served)
    looks = [one for one in traces.usage if one.of == "service"]
    apart_ns = load.usage_place.uncertainty_to(load.place)
    used = processor_times(looks, began_ns + sent, began_ns + done, apart_ns)
    if used is not None:
        parts["own CPU"] = used.own_cpu.within(served)
        if used.run_queue is not None:
            parts["run queue"] = used.run_queue.within(served)
    told = tail(done - intended, parts, threshold_ns, len(steady), intended)
    return replace(
        told,
        sampling_interval_ns=used.sampling_interval_ns if used is not None else None,
        clock_uncertainty_ns=_apart_ns(load, pauses, traces.queries),
        doubt=_doubt(found),
    )


def _database(
    rows: NDArray[np.void],
    answered: NDArray[np.bool_],
    chosen: IntArray,
    queries: Queries | None,
    load: LoadEvidence,
    pauses: PauseEvidence | None,
) -> DatabaseTimes | None:
    """The database times of requests; None if there is no relay. A request that was never sent has
    no queries."""
    if queries is None:
        return None
    sent, asked, went = asked_of(rows, answered, queries, load)
    stops = _Stops.of(pauses, queries.place)
    places = np.searchsorted(went, chosen)
    return database_times(sent, asked, places, (stops.at_least, stops.at_most))


def _apart_ns(load: LoadEvidence, pauses: PauseEvidence | None, queries: Queries | None) -> int:
    """The greatest uncertainty of the offset between any two of the clocks that this module
    combines."""
    beside = [one.place for one in (pauses, queries) if one is not None]
    return max(one.uncertainty_to(load.place) for one in (load.usage_place, *beside))


def _doubt(found: DatabaseTimes | None) -> str:
    if found is None or found.limits is not None:
        return ""
    return (
        f"the database time of individual requests is unknown, because {found.nobodys:,} of "
        f"{found.queries:,} queries happened while no request was under way; either the clocks of "
        "the relay (the proxy before the database) and of the load generator differ, or the "
        "service sends queries that belong to no request"
    )


@dataclass(frozen=True)
class _Stops:
    """The pauses of a runtime that uses another place's clock. Two limits are known: the times that
    lie in a pause at every possible clock offset, and the times that do so at some offset."""

    surely: _Pauses
    perhaps: _Pauses

    @classmethod
    def of(cls, pauses: PauseEvidence | None, seen_from: Location) -> _Stops:
        if pauses is None:
            nothing = _Pauses(np.empty((0, 2), dtype=np.int64))
            return cls(nothing, nothing)
        apart_ns = pauses.place.uncertainty_to(seen_from)
        return cls(
            _Pauses(shrunk(pauses.pauses_ns, apart_ns)),
            _Pauses(widened(pauses.pauses_ns, apart_ns)),
        )

    def at_least(self, from_ns: IntArray, until_ns: IntArray) -> IntArray:
        """The part of each span that certainly lies outside pauses."""
        return self.perhaps.running(from_ns, until_ns)

    def at_most(self, from_ns: IntArray, until_ns: IntArray) -> IntArray:
        """The part of each span that may lie outside pauses."""
        return self.surely.running(from_ns, until_ns)

    def running(self, from_ns: IntArray, until_ns: IntArray) -> Limits:
        least, most = self.at_least(from_ns, until_ns), self.at_most(from_ns, until_ns)
        return Limits(least.astype(np.float64), most.astype(np.float64))


class _Pauses:
    """Pauses of shape (k, 2), in order and without overlap."""

    def __init__(self, pauses_ns: IntArray) -> None:
        self._starts = pauses_ns[:, 0]
        self._lengths = pauses_ns[:, 1] - pauses_ns[:, 0]
        self._before = np.concatenate(([0], np.cumsum(self._lengths)))

    def running(self, from_ns: IntArray, until_ns: IntArray) -> IntArray:
        """The part of each span that lies outside pauses."""
        return until_ns - from_ns - (self._paused_until(until_ns) - self._paused_until(from_ns))

    def _paused_until(self, instants: IntArray) -> IntArray:
        if not len(self._starts):
            return np.zeros(len(instants), dtype=np.int64)
        place = np.searchsorted(self._starts, instants, side="right")
        last = np.maximum(place - 1, 0)
        within = np.minimum(instants - self._starts[last], self._lengths[last])
        return np.where(place > 0, self._before[last] + within, 0)
