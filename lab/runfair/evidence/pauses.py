"""A runtime's events laid against the requests of its service."""

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

IntArray = NDArray[np.int64]
TAIL_PERCENT = 99.0
# Of Poisson arrivals none comes where ten are expected once in 22,000 times.
EXPECTED_ARRIVALS = 10.0
# Go's two pauses stand at the ends of its cycle.
NEXT_TO_NS = 1_000_000
COLLECTING = ("gc_pause", "gc_cycle")
MOST_ROUNDING = 0.5
"""Of what was allocated: heaps told in whole MiB say nothing of a program that allocates little
more than that between two collections."""


@dataclass(frozen=True, eq=False)
class PauseEvidence:
    """What a runtime did in the steady part of one load; instants count from the load's start.

    `pauses_ns`, shape (k, 2), are stops of the whole program, or of any of its instances. `share`
    is of the requests above p99, beside chance; None without pauses or requests. `missing` are
    pauses that no latency shows. `swallowed` are pauses in which no request at all was meant to go,
    though the rate would have brought EXPECTED_ARRIVALS or more: they were left out. Compilations
    after the steady point are counted in `late_compilations`. A collection was under way for
    `collecting_ns`, beside the program or in its place; `allocation` is None if the runtime does
    not report it, or had too few collections, which `tells_heaps` tells apart. The clock of the
    runtime's `place` and the generator's may be apart by `uncertainty_ns`: for it the share may be
    anything from `share_least` to `share_most`, while missing and swallowed pauses are so at every
    distance.
    """

    pauses_ns: IntArray
    share: PauseShare | None
    missing: MissingPauses | None
    swallowed: int
    collections: int
    compilations: int
    late_compilations: int
    collecting_ns: int
    tells_heaps: bool
    allocation: Allocation | None
    place: Location = HERE
    uncertainty_ns: int = 0
    share_least: PauseShare | None = None
    share_most: PauseShare | None = None

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
    """The evidence of one load; without records nothing is known of single requests. The events are
    on the lab's clock, `place` is where their runtime ran."""
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
    of_instances = tuple(
        _spans([one for one in stops if (one.instance or 1) == number], began_ns)
        for number in range(1, servers + 1)
    )
    shares, missing = _laid_against(of_instances, load, records, apart_ns)
    swallowed = 0 if records is None else _swallowed(pauses, load, records, apart_ns)
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
        compilations=len(compiled),
        late_compilations=sum(at_ns >= from_ns for at_ns in compiled),
        collecting_ns=int((np.minimum(collecting[:, 1], until_ns) - collecting[:, 0]).sum()),
        tells_heaps=tells_heaps(events),
        allocation=allocation(steady),
    )


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


def _swallowed(pauses: IntArray, load: LoadEvidence, records: Records, apart_ns: int) -> int:
    rate = load.result.rate.offered_per_s
    arrivals = load.result.arrivals
    # A trace is quiet where what it recorded was: its mean rate says nothing of a moment.
    if rate is None or arrivals is None or arrivals.process == "trace" or not len(pauses):
        return 0
    # Failed ones too: who was refused in a pause was meant to go all the same.
    intended = np.sort(records.rows["intended_ns"].astype(np.int64))
    if not len(intended):
        return 0
    # Nobody is meant to go after the schedule's end.
    within = np.clip(pauses, load.steady_from_ns, intended[-1])
    met = np.searchsorted(intended, within[:, 1] + apart_ns) - np.searchsorted(
        intended, within[:, 0] - apart_ns
    )
    expected = (within[:, 1] - within[:, 0]) / 1e9 * rate
    return int(np.count_nonzero((met == 0) & (expected >= EXPECTED_ARRIVALS)))


def _collections(events: Sequence[Event]) -> int:
    """A concurrent collection is one cycle and some pauses: where there are cycles, they count, and
    the pauses outside all of them."""
    cycles = [one for one in events if one.kind == "gc_cycle"]
    alone = [
        one
        for one in events
        if one.kind == "gc_pause"
        and not any(
            cycle.started_ns - NEXT_TO_NS <= one.started_ns <= cycle.ended_ns + NEXT_TO_NS
            for cycle in cycles
        )
    ]
    return len(cycles) + len(alone)


@dataclass(frozen=True)
class _Shares:
    """The share with the clocks as they are taken to be, and its least and most."""

    seen: PauseShare
    least: PauseShare
    most: PauseShare


def _laid_against(
    of_instances: Sequence[IntArray], load: LoadEvidence, records: Records | None, apart_ns: int
) -> tuple[_Shares | None, MissingPauses | None]:
    """For several instances, each one's stops against the requests that went to it, because the
    other instances did not stop."""
    if records is None or not any(map(len, of_instances)):
        return None, None
    rows = answered(load, records)
    intended, done = rows["intended_ns"].astype(np.int64), rows["done_ns"].astype(np.int64)
    p50_ns = load.latency.value_at(0.5)
    if not len(intended) or p50_ns is None:
        return None, None
    went_to = instances_of(rows, load.result)
    seen, surely, perhaps = (np.zeros(len(rows), dtype=np.bool_) for _ in range(3))
    found = []
    for number, pauses in enumerate(of_instances, 1):
        mine = went_to == number
        for met, stood in (
            (seen, pauses),
            (surely, shrunk(pauses, apart_ns)),
            (perhaps, widened(pauses, apart_ns)),
        ):
            met[mine] = overlap(stood, intended[mine], done[mine])
        found.append(missing_pauses(pauses, intended[mine], done[mine], p50_ns, apart_ns))
    missing = MissingPauses(
        long=sum(each.long for each in found),
        unmet=sum(each.unmet for each in found),
        missing=np.concatenate([each.missing for each in found]),
    )
    shares = [pause_share(done - intended, met, TAIL_PERCENT) for met in (seen, surely, perhaps)]
    return _Shares(*shares), missing


def instances_of(rows: NDArray[np.void], result: LoadResult) -> IntArray:
    """Which server each sent request went to, from 1: the generator gives the connections of all
    its threads, one thread's after another's, to the servers in turn."""
    if not result.targets:
        return np.ones(len(rows), dtype=np.int64)
    each, left = divmod(result.connections, result.threads)
    thread = rows["thread"].astype(np.int64)
    before = each * thread + np.minimum(thread, left)
    numbers: IntArray = (before + rows["connection"]) % len(result.targets) + 1
    return numbers


@dataclass(frozen=True)
class Allocation:
    """What a runtime allocated, by its collections: the bytes that a heap held more as a collection
    began than after the one before it. `rounding` is the share by which it may be off, at worst, as
    heaps are told in steps: a program in a steady state may be rounded the same way each time."""

    bytes_per_s: float
    rounding: float


def tells_heaps(events: Sequence[Event]) -> bool:
    return any(event.heap is not None for event in events)


def allocation(events: Sequence[Event]) -> Allocation | None:
    """The sum over all heaps, of each from the beginning of its first collection to that of its
    last. None without two collections of one heap, or where rounding could hide most of it."""
    heaps: dict[tuple[int | None, ...], list[tuple[int, HeapChange]]] = {}
    for event in events:
        if event.heap is not None:
            key = (event.instance, event.pid, event.heap.heap)
            heaps.setdefault(key, []).append((event.started_ns, event.heap))
    rates = [_of_heap(told) for told in heaps.values() if len(told) > 1]
    bytes_per_s = sum(rate for rate, _ in rates)
    off_per_s = sum(off for _, off in rates)
    if bytes_per_s <= 0 or off_per_s > MOST_ROUNDING * bytes_per_s:
        return None
    return Allocation(bytes_per_s, off_per_s / bytes_per_s)


def _of_heap(told: list[tuple[int, HeapChange]]) -> tuple[float, float]:
    """Bytes a second, and how far off at worst."""
    told.sort(key=lambda one: one[0])
    changes = [change for _, change in told]
    allocated = sum(
        earlier.meanwhile_bytes + later.before_bytes - earlier.after_bytes
        for earlier, later in pairwise(changes)
    )
    # Summed up, each collection's end is told once against its rest, and the last beginning against
    # the first: less than a step each.
    off = sum(change.step_bytes for change in changes if change.step_bytes > 1)
    seconds = max(told[-1][0] - told[0][0], 1) / 1e9
    return allocated / seconds, off / seconds
