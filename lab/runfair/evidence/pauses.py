"""The comparison of a runtime's events with the requests of its service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from runfair.evidence.load import ANSWERED, LoadEvidence
from runfair.formats.event import Event, HeapChange
from runfair.formats.load_result import LoadResult
from runfair.formats.place import HERE, Location
from runfair.formats.records_file import Records
from runfair.statistics.array import IntArray
from runfair.statistics.pauses import (
    MissingPauses,
    PauseShare,
    missing_pauses,
    overlap,
    pause_share,
    shrunk,
    united,
    widened,
)

TAIL_PERCENT = 99.0
# If ten Poisson arrivals are expected, the probability of no arrival is 1 in 22,000.
EXPECTED_ARRIVALS = 10.0
# The two pauses of a collection in Go lie at the ends of its cycle.
NEXT_TO_NS = 1_000_000
COLLECTING = ("gc_pause", "gc_cycle")
STEPS = (
    *("V8.GCIncremental", "V8.GCPhantom", "incremental marking", "weak callbacks"),
    "steps of major",  # PyPy
)
"""The beginnings of the texts about parts of a collection, between which the program works. Another
event reports the collection itself, or its end."""

WHOLE = ("Pause Young", "Pause Full")
"""The beginnings of HotSpot's texts about pauses that are whole collections, even if a concurrent
collection runs."""

MOST_ROUNDING = 0.5
"""The greatest permitted rounding error, as a share of the allocation. If heap sizes are reported
in whole MiB, they are too coarse for a program that allocates only a few MiB between two
collections."""


@dataclass(frozen=True, eq=False)
class PauseEvidence:
    """A runtime's events in the steady part of a load. Instants are counted from the load's start.

    `pauses_ns`, shape (k, 2), are stops of the whole program, or of any of its instances. `share`
    has the share of the requests above p99 that overlapped a pause, and the share expected by
    chance; it is None if there are no pauses or no requests. `missing` are the pauses that appear
    in no latency. `swallowed` are the pauses in which no request was due, although
    EXPECTED_ARRIVALS or more were expected: these requests were left out. `late_compilations`
    counts the compilations after the steady point. `collecting_ns` is the time during which
    collections ran, concurrent or not. `allocation` is None if the runtime does not report heaps
    (`tells_heaps` is then false) or had too few collections. The clocks of the runtime's `place`
    and of the generator may differ by `uncertainty_ns`. Depending on the offset, the share lies
    between `share_least` and `share_most`. Pauses are listed as missing or swallowed only if they
    are so at every possible offset, and wherever they lie within the uncertainty of their events.
    `processes` is the largest number of processes that reported events in one instance. If there
    are several, no pause of this instance is listed as missing, because a pause of one process
    delays only the requests to this process.
    """

    pauses_ns: IntArray
    share: PauseShare | None
    missing: MissingPauses | None
    swallowed: int
    collections: int
    late_compilations: int
    collecting_ns: int
    tells_heaps: bool
    allocation: Allocation | None
    place: Location = HERE
    uncertainty_ns: int = 0
    share_least: PauseShare | None = None
    share_most: PauseShare | None = None
    processes: int = 1

    @property
    def paused_ns(self) -> int:
        return int((self.pauses_ns[:, 1] - self.pauses_ns[:, 0]).sum())

    @property
    def longest_ns(self) -> int:
        if not len(self.pauses_ns):
            return 0
        return int((self.pauses_ns[:, 1] - self.pauses_ns[:, 0]).max())


def examine_pauses(
    events: Sequence[Event],
    load: LoadEvidence,
    records: Records | None,
    place: Location = HERE,
) -> PauseEvidence:
    """The evidence of one load. Without records of requests, the evidence has no shares. The events
    are on the lab's clock; the runtime ran in `place`."""
    apart_ns = place.uncertainty_to(load.place)
    began_ns = load.result.started.monotonic_ns
    until_ns = load.result.elapsed_ns
    from_ns = load.steady_from_ns
    during = [one for one in events if 0 <= one.started_ns - began_ns < until_ns]
    steady = [one for one in during if one.started_ns - began_ns >= from_ns]
    stops = [one for one in steady if one.stops_the_world]
    pauses = _spans(stops, began_ns)
    collecting = _spans([one for one in steady if one.kind in COLLECTING], began_ns)
    compiled = [one.started_ns - began_ns for one in during if one.kind == "compilation"]
    servers = max(1, len(load.result.targets))
    of_instances = [
        _OfInstance(
            _spans([one for one in stops if (one.instance or 1) == number], began_ns),
            len({one.pid for one in during if (one.instance or 1) == number}),
        )
        for number in range(1, servers + 1)
    ]
    # The uncertainty of an event contains that of its clock, as `apart_ns` does.
    clock_ns = place.clock.uncertainty_ns
    doubt_ns = apart_ns - clock_ns + max([clock_ns, *(one.uncertainty_ns for one in stops)])
    shares, missing = _laid_against(of_instances, load, records, apart_ns, doubt_ns)
    swallowed = 0 if records is None else _swallowed(pauses, load, records, doubt_ns)
    return PauseEvidence(
        pauses_ns=pauses,
        share=shares.seen if shares else None,
        share_least=shares.least if shares else None,
        share_most=shares.most if shares else None,
        place=place,
        uncertainty_ns=apart_ns,
        missing=missing,
        swallowed=swallowed,
        collections=_collections(steady),
        late_compilations=sum(at_ns >= from_ns for at_ns in compiled),
        collecting_ns=int((np.minimum(collecting[:, 1], until_ns) - collecting[:, 0]).sum()),
        tells_heaps=tells_heaps(events),
        allocation=allocation(steady),
        processes=max(each.processes for each in of_instances),
    )


@dataclass(frozen=True, eq=False)
class _OfInstance:
    """The pauses of an instance, and the number of its processes that reported events."""

    pauses: IntArray
    processes: int

    @property
    def whole(self) -> IntArray:
        """The pauses that certainly stopped the whole instance."""
        return self.pauses if self.processes <= 1 else self.pauses[:0]


def _spans(events: Sequence[Event], began_ns: int) -> IntArray:
    spans = [(one.started_ns - began_ns, one.ended_ns - began_ns) for one in events]
    return united(np.array(spans, dtype=np.int64).reshape(len(spans), 2))


def answered(load: LoadEvidence, records: Records) -> NDArray[np.void]:
    """The records of the steady part's answered requests."""
    known = [kind for kind in ANSWERED if kind in records.header.kinds]
    kinds = [records.header.kinds.index(kind) for kind in known]
    rows: NDArray[np.void] = records.rows[np.isin(records.rows["kind"], kinds)]
    steady: NDArray[np.void] = rows[rows["intended_ns"] >= load.steady_from_ns]
    return steady


def _swallowed(pauses: IntArray, load: LoadEvidence, records: Records, doubt_ns: int) -> int:
    rate = load.result.rate.offered_per_s
    arrivals = load.result.arrivals
    # A recorded trace has quiet moments, so its mean rate does not predict arrivals in a pause.
    if rate is None or arrivals is None or arrivals.process == "trace" or not len(pauses):
        return 0
    # Failed requests are counted too, because a request that was refused during a pause was due.
    intended = np.sort(records.rows["intended_ns"].astype(np.int64))
    if not len(intended):
        return 0
    # No request is due after the schedule's end.
    within = np.clip(pauses, load.steady_from_ns, intended[-1])
    met = np.searchsorted(intended, within[:, 1] + doubt_ns) - np.searchsorted(
        intended, within[:, 0] - doubt_ns
    )
    expected = (within[:, 1] - within[:, 0]) / 1e9 * rate
    return int(np.count_nonzero((met == 0) & (expected >= EXPECTED_ARRIVALS)))


def _collections(events: Sequence[Event]) -> int:
    """The number of collections. A concurrent collection consists of a cycle and some pauses. All
    cycles are counted. Of the pauses, those are counted that are no mere steps, and that are whole
    collections or lie outside of cycles."""
    cycles = [one for one in events if one.kind == "gc_cycle"]
    near = [(one.started_ns - NEXT_TO_NS, one.ended_ns + NEXT_TO_NS) for one in cycles]
    pauses = [one for one in events if one.kind == "gc_pause" and not one.text.startswith(STEPS)]
    starts = np.array([one.started_ns for one in pauses], dtype=np.int64)
    of_cycle = overlap(np.array(near, dtype=np.int64).reshape(-1, 2), starts, starts + 1)
    return len(cycles) + sum(
        one.text.startswith(WHOLE) or not within
        for one, within in zip(pauses, of_cycle, strict=True)
    )


@dataclass(frozen=True)
class _Shares:
    """The share at the best estimate of the clock offset, and its limits over all possible
    offsets."""

    seen: PauseShare
    least: PauseShare
    most: PauseShare


def _laid_against(
    of_instances: Sequence[_OfInstance],
    load: LoadEvidence,
    records: Records | None,
    apart_ns: int,
    doubt_ns: int,
) -> tuple[_Shares | None, MissingPauses | None]:
    """The shares of requests that overlapped a pause. If there are several instances, the pauses of
    an instance are compared only with the requests that this instance received. The clocks may
    differ by `apart_ns`; the pauses themselves are known to within `doubt_ns`."""
    if records is None or not any(len(one.pauses) for one in of_instances):
        return None, None
    rows = answered(load, records)
    intended, done = rows["intended_ns"].astype(np.int64), rows["done_ns"].astype(np.int64)
    p50_ns = load.latency.value_at(0.5)
    if not len(intended) or p50_ns is None:
        return None, None
    went_to = instances_of(rows, load.result)
    seen, surely, perhaps = (np.zeros(len(rows), dtype=np.bool_) for _ in range(3))
    found = []
    for number, one in enumerate(of_instances, 1):
        mine = went_to == number
        for met, stood in (
            (seen, one.pauses),
            (surely, shrunk(one.pauses, apart_ns)),
            (perhaps, widened(one.pauses, apart_ns)),
        ):
            met[mine] = overlap(stood, intended[mine], done[mine])
        found.append(missing_pauses(one.whole, intended[mine], done[mine], p50_ns, doubt_ns))
    missing = MissingPauses(
        long=sum(each.long for each in found),
        unmet=sum(each.unmet for each in found),
        missing=np.concatenate([each.missing for each in found]),
    )
    shares = [pause_share(done - intended, met, TAIL_PERCENT) for met in (seen, surely, perhaps)]
    return _Shares(*shares), missing


def instances_of(rows: NDArray[np.void], result: LoadResult) -> IntArray:
    """The number (from 1) of the server that received each request. The generator assigns
    connections to servers in turn, thread after thread."""
    if not result.targets:
        return np.ones(len(rows), dtype=np.int64)
    each, left = divmod(result.connections, result.threads)
    thread = rows["thread"].astype(np.int64)
    before = each * thread + np.minimum(thread, left)
    numbers: IntArray = (before + rows["connection"]) % len(result.targets) + 1
    return numbers


@dataclass(frozen=True)
class Allocation:
    """The bytes that a runtime allocated: the growth of each heap from the end of a collection to
    the beginning of the next. `rounding` is the largest possible error, as a share. Heap sizes are
    rounded, and the sizes of a steady program may be rounded in the same direction each time."""

    bytes_per_s: float
    rounding: float


def tells_heaps(events: Sequence[Event]) -> bool:
    return any(event.heap is not None for event in events)


def allocation(events: Sequence[Event]) -> Allocation | None:
    """The allocation of all heaps together. Each heap is measured from the beginning of its first
    collection to the beginning of its last, without the times in which a collection was not read.
    None if no heap had two collections, or if rounding could hide most of the allocation."""
    heaps: dict[tuple[int | None, ...], list[tuple[int, HeapChange]]] = {}
    for event in events:
        if event.heap is not None:
            key = (event.instance, event.pid, event.heap.heap)
            heaps.setdefault(key, []).append((event.started_ns, event.heap))
    rates = [_of_heap(told) for told in heaps.values()]
    bytes_per_s = sum(rate for rate, _ in rates)
    off_per_s = sum(off for _, off in rates)
    if bytes_per_s <= 0 or off_per_s > MOST_ROUNDING * bytes_per_s:
        return None
    return Allocation(bytes_per_s, off_per_s / bytes_per_s)


def _of_heap(told: list[tuple[int, HeapChange]]) -> tuple[float, float]:
    """The bytes that were allocated in a heap per second, and the largest possible error of this
    value."""
    told.sort(key=lambda one: one[0])
    # A collection that was not read freed an unknown part of the heap.
    pairs = [pair for pair in pairwise(told) if not pair[1][1].after_gap]
    if not pairs:
        return 0.0, 0.0
    allocated = sum(
        earlier.meanwhile_bytes + later.before_bytes - earlier.after_bytes
        for (_, earlier), (_, later) in pairs
    )
    # In the sum, each collection contributes an error of at most one step. The beginnings of the
    # first and the last collection together contribute at most one more.
    off = sum(change.step_bytes for _, change in told if change.step_bytes > 1)
    measured_ns = sum(until_ns - from_ns for (from_ns, _), (until_ns, _) in pairs)
    seconds = max(measured_ns, 1) / 1e9
    return allocated / seconds, off / seconds
