"""What a runtime allocated, as its collections tell: what a heap held more as one began than after
the one before it was allocated in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from runfair.formats.event import Event, HeapChange

MOST_ROUNDING = 0.5
"""Of what was allocated: heaps told in whole MiB say nothing of a program that allocates little
more than that between two collections."""


@dataclass(frozen=True)
class Allocation:
    """`rounding` is the share by which it may be off, at worst, as heaps are told in steps: a
    program in a steady state may be rounded the same way each time."""

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
