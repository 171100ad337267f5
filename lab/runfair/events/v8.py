"""A reader of V8's events. In Node.js: collections from `perf_hooks`, compilations from trace
events.

`--trace-gc` prints to standard output, buffered and in whole milliseconds, between the program's
own lines; `--trace-opt` prints no times. The preload `preloads/node.cjs` therefore uses two other
sources. Node writes trace events when the process ends. Observed `gc` entries are written in every
turn of the event loop, so they exist even if the process was killed. The times of both are the
runtime's own readings of the clock of `process.hrtime`, which is CLOCK_MONOTONIC on Linux.

Sparrow (docs/sparrow.md) itself writes its collections, in files of the same form as the preload's,
as they end.

Each worker thread has a heap of its own, and its collections stop no other thread. Only those of a
process's main thread count as stops of the program.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runfair.events.reading import Reading, event_text, merged
from runfair.formats.event import Event, HeapChange, Kind

UNCERTAINTY_NS = 10_000
"""The error of the times. Trace events have times in µs. The times of collections are converted
with the closest of several pairs of clock readings.
"""

MAIN_THREAD = 0
"""The number of a process's main thread in the names of its files; workers have higher numbers."""

DEEPEST_NESTING = 3
"""A collection's finalisation may lie inside another entry, and that entry inside a third."""

# The constants NODE_PERFORMANCE_GC_* of perf_hooks.constants; 2 is V8's minor mark-sweep.
_COLLECTIONS = {
    1: "scavenge",
    2: "minor mark-sweep",
    4: "mark-sweep-compact",
    8: "incremental marking",
    16: "weak callbacks",
}

_COMPILATION = re.compile(
    r"V8\.(?:CompileCode|OptimizeCode|OptimizeBackground|OptimizeConcurrentFinalize"
    r"|OptimizeNonConcurrent|Maglev\w+|\w*Baseline\w+)"
)
# Work of background threads has another trace category, which is not requested.
_PAUSE = re.compile(r"V8\.GC[A-Z]\w+")
# These entries begin before a collection's pauses and end after them. They have the heap's size at
# both ends.
_WHOLE = re.compile(r"(?:Minor|Major)GC")
_DEOPTIMISATION = re.compile(r"V8\.Deoptimize\w+")


class _Collection(BaseModel):
    """A line of the preload or of sparrow about one collection. Only sparrow states sizes."""

    model_config = ConfigDict(extra="forbid", strict=True)
    started_ns: int = Field(ge=0, lt=2**63)
    duration_ns: int = Field(ge=0, lt=2**63)
    kind: int = Field(ge=0, lt=2**31)
    flags: int = Field(ge=0, lt=2**31)
    before_bytes: int | None = Field(default=None, ge=0, lt=2**63)
    after_bytes: int | None = Field(default=None, ge=0, lt=2**63)

    def change(self, heap: int) -> HeapChange | None:
        """The change of the heap's size, if the line states it."""
        if self.before_bytes is None or self.after_bytes is None:
            return None
        before, after = self.before_bytes, self.after_bytes
        return HeapChange(before_bytes=before, after_bytes=after, step_bytes=1, heap=heap)


class _TraceEvent(BaseModel):
    """An entry of the Trace Event Format. `ts` and `dur` are in µs. `ph` is X if the entry has
    both, B for the beginning of an entry and E for its end.
    """

    model_config = ConfigDict(strict=True)
    name: str
    ph: str
    pid: int = Field(default=0, ge=0)
    tid: int = Field(default=0, ge=0)
    ts: int = Field(default=0, ge=0, lt=2**63 // 1000)
    dur: int = Field(default=0, ge=0, lt=2**63 // 1000)
    args: Any = None

    @property
    def in_main_thread(self) -> bool:
        """On Linux, the number of a process's main thread is that of the process."""
        return self.tid in (0, self.pid)

    def size(self, key: str) -> int | None:
        value = self.args.get(key) if isinstance(self.args, dict) else None
        return value if isinstance(value, int) and 0 <= value < 2**63 else None


def read_v8(folder: Path) -> Reading:
    """All events that Node or sparrow processes and their workers wrote to `folder`."""
    traced = merged(
        read_trace(path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted(folder.glob("v8-*.trace"))
    )
    observed = []
    for path in sorted(folder.glob("v8-*.jsonl")):
        pid, _, worker = path.stem.removeprefix("v8-").partition("-")
        with path.open(encoding="utf-8", errors="replace") as lines:
            heap = int(worker) if worker.isdigit() else MAIN_THREAD
            reading = read_collections(lines, int(pid) if pid.isdigit() else None, heap)
        # A worker is a thread of a process, but writes a separate file.
        observed.append(Reading(reading.events, int(worker == "0"), reading.unread))
    return merged([traced, _untold(merged(observed), traced)])


def _untold(observed: Reading, traced: Reading) -> Reading:
    """The observed collections that are not also in the trace."""
    spans: dict[int | None, list[Event]] = {}
    for event in traced.events:
        if event.kind == "gc_pause":
            spans.setdefault(event.pid, []).append(event)
    kept = [event for event in observed.events if not _overlaps(event, spans.get(event.pid, []))]
    return Reading(tuple(kept), observed.processes, observed.unread)


def _overlaps(event: Event, others: list[Event]) -> bool:
    """Whether an event overlaps one of the events `others`. The `others` are in the order of their
    starts, and two of them overlap only if one lies inside the other.
    """
    following = bisect_right(others, event.ended_ns, key=lambda other: other.started_ns)
    return any(
        other.ended_ns > event.started_ns
        for other in others[max(0, following - DEEPEST_NESTING) : following]
    )


def read_collections(
    lines: Iterable[str], pid: int | None = None, heap: int = MAIN_THREAD
) -> Reading:
    """The collections of one heap, from a file of the preload or of sparrow. Malformed lines are
    counted."""
    events = []
    unread = 0
    for line in lines:
        try:
            one = _Collection.model_validate_json(line)
        except ValidationError:
            unread += 1
            continue
        name = _COLLECTIONS.get(one.kind, f"kind {one.kind}")
        events.append(
            Event(
                source="v8",
                kind="gc_pause",
                pid=pid,
                started_ns=one.started_ns,
                duration_ns=one.duration_ns,
                stops_the_world=heap == MAIN_THREAD,
                text=f"{name}, flags {one.flags}",
                uncertainty_ns=UNCERTAINTY_NS,
                heap=one.change(heap),
            )
        )
    return merged([Reading(tuple(events), 0, unread)])


def read_trace(text: str) -> Reading:
    """The events of one trace file, which may be incomplete."""
    events: list[Event] = []
    heaps = _Heaps()
    unread = 0
    for entry in _entries(text):
        try:
            one = _TraceEvent.model_validate(entry)
        except ValidationError:
            unread += 1
            continue
        if _WHOLE.fullmatch(one.name):
            heaps.note(one, events)
            continue
        kind = _kind(one.name)
        if one.ph != "X" or kind is None:
            continue
        events.append(
            Event(
                source="v8",
                kind=kind,
                pid=one.pid,
                started_ns=one.ts * 1_000,
                duration_ns=one.dur * 1_000,
                stops_the_world=kind == "gc_pause" and one.in_main_thread,
                text=event_text(one.name),
                uncertainty_ns=UNCERTAINTY_NS,
            )
        )
    return merged([Reading(tuple(events), 0, unread)])


@dataclass
class _Heaps:
    """The collections in progress by process and thread, because each worker has a heap
    of its own.
    """

    begun: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def note(self, one: _TraceEvent, events: list[Event]) -> None:
        """Assigns the heap sizes of a collection to the last of its pauses when the collection
        ends."""
        before = one.size("usedHeapSizeBefore")
        if one.ph == "B" and before is not None:
            self.begun[one.pid, one.tid] = before, len(events)
            return
        after = one.size("usedHeapSizeAfter")
        begun = self.begun.pop((one.pid, one.tid), None)
        if one.ph != "E" or after is None or begun is None:
            return
        before, first = begun
        change = HeapChange(before_bytes=before, after_bytes=after, step_bytes=1, heap=one.tid)
        for place in reversed(range(first, len(events))):
            event = events[place]
            if event.kind == "gc_pause" and event.pid == one.pid and event.heap is None:
                events[place] = event.model_copy(update={"heap": change})
                return


def _kind(name: str) -> Kind | None:
    if _PAUSE.fullmatch(name):
        return "gc_pause"
    if _DEOPTIMISATION.fullmatch(name):
        return "deoptimisation"
    return "compilation" if _COMPILATION.fullmatch(name) else None


def _entries(text: str) -> Iterator[Any]:
    """The elements of `{"traceEvents":[…`. The text after the last complete element is skipped,
    because a killed process leaves an incomplete file.
    """
    decoder = json.JSONDecoder()
    position = text.find("[") + 1
    while position:
        try:
            entry, end = decoder.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError):
            return
        yield entry
        position = end + 1 if text[end : end + 1] == "," else 0
