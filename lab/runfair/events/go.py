"""A reader of Go's `GODEBUG=gctrace=1`, with which Go writes a line to standard error at the end of
each collection.

    gc 7 @0.024s 2%: 0.22+2.4+0.001 ms clock, 0.45+0/0.086/0+0.003 ms cpu, 3->6->3 MB, …

Format: package runtime, "Environment Variables", and `gcMarkTermination` in runtime/mgc.go.

- `@` is the beginning of the collection, in whole milliseconds since the program's start.
- `clock` has three durations: the first stop of the world (sweep termination), the concurrent phase
  and the second stop (mark termination).
- `3->6->3` is the heap's size at the collection's beginning, its size at the end, and the size of
  its live part at the end. In the example `3->6->3` the program allocated 3 MB during the
  collection, and continues with 3 MB.

The line contains neither the program's start nor fractions of a millisecond. The time of each
collection is therefore computed from the arrival times of all lines. If a line were read at the
instant at which its collection ends, arrival − clock − @ would be the program's start plus the
fraction of a millisecond that was cut off. A line can only be read late, so the least of these
differences is the program's start (the minimum filter of network clocks, RFC 5905 section 10). Each
collection began within the millisecond after start + @. If a line was read late, its time is thus
corrected to within 1 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from runfair.events.reading import Reading, event_text, merged
from runfair.events.stamped_stream import StampedLine
from runfair.formats.event import Event, HeapChange, Kind

MIB = 1 << 20
"""Sizes are printed in whole MB, rounded down."""

STEP_NS = 1_000_000
"""`@` is rounded down to whole milliseconds."""

ARRIVAL_UNCERTAINTY_NS = 200_000
"""Even the line that is read soonest is read late, because Go writes it in dozens of pieces and the
reading thread must wake up. docs/events.md has the measured delays.
"""

_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_TRACE = re.compile(
    rf"gc (\d{{1,12}}) @{_NUMBER}s \d+%: {_NUMBER}\+{_NUMBER}\+{_NUMBER} ms clock,"
    r".*?(?: (\d{1,9})->(\d{1,9})->(\d{1,9}) MB,.*?)? P(?: \(forced\))?"
)
_BEGINS = re.compile(r"gc \d+ @")


@dataclass(frozen=True)
class _Line:
    number: int
    at_ns: int
    clock: tuple[str, str, str]
    arrived_ns: int
    text: str
    heap: HeapChange | None

    @property
    def clock_ns(self) -> tuple[int, int, int]:
        first, concurrent, second = (round(float(part) * 1e6) for part in self.clock)
        return first, concurrent, second

    @property
    def cut_ns(self) -> int:
        """The greatest error of the sum of the printed durations, whose last digits are cut off."""
        return sum(_cut_ns(part) for part in self.clock)

    @property
    def latest_start_ns(self) -> int:
        return self.arrived_ns - sum(self.clock_ns)


@dataclass
class _Process:
    """The lines of one process. Several processes may write to the same standard error."""

    lines: list[_Line] = field(default_factory=list)

    @property
    def last(self) -> _Line:
        return self.lines[-1]

    def precedes(self, line: _Line) -> bool:
        return self.last.number < line.number and self.last.at_ns <= line.at_ns


def _process_of(line: _Line, processes: list[_Process]) -> _Process | None:
    """The process that wrote the line: of those whose last line may precede it, the one with the
    highest number. A new process counts from 1, so if the number before this line's is missing, a
    trace could not be read."""
    if line.number == 1:
        return None
    before = [one for one in processes if one.precedes(line)]
    return max(before, key=lambda one: one.last.number, default=None)


def read_go(lines: Iterable[StampedLine]) -> Reading:
    """The collections that Go reported on a standard error. Lines of the program itself are
    skipped."""
    processes: list[_Process] = []
    unread = 0
    for stamped in lines:
        found = _TRACE.match(stamped.text)
        if found is None:
            # Another thread's output may interrupt a trace. A trace behind an unfinished line of
            # the program has no time of its own: the line has the time of its first byte.
            unread += bool(_BEGINS.search(stamped.text))
            continue
        line = _Line(
            number=int(found[1]),
            at_ns=round(float(found[2]) * 1e9),
            clock=(found[3], found[4], found[5]),
            arrived_ns=stamped.arrived_ns,
            text=event_text(found[0]),
            heap=_heap(found[6], found[7], found[8]),
        )
        process = _process_of(line, processes)
        if process is None:
            process = _Process()
            processes.append(process)
        process.lines.append(line)
    told = [Reading(tuple(_events(process, place)), 1) for place, process in enumerate(processes)]
    return merged([*told, Reading(unread=unread)])


def _heap(before: str | None, ended: str | None, alive: str | None) -> HeapChange | None:
    if before is None or ended is None or alive is None:
        return None
    before_bytes, ended_bytes, alive_bytes = (int(mib) * MIB for mib in (before, ended, alive))
    return HeapChange(
        before_bytes=before_bytes,
        after_bytes=alive_bytes,
        meanwhile_bytes=max(0, ended_bytes - before_bytes),
        step_bytes=MIB,
    )


def _events(process: _Process, place: int) -> Iterable[Event]:
    program_start_ns = min(line.latest_start_ns - line.at_ns for line in process.lines)
    expected = process.lines[0].number
    for line in process.lines:
        after_gap = line.number != expected
        expected = line.number + 1
        first_ns, concurrent_ns, second_ns = line.clock_ns
        earliest_ns = program_start_ns + line.at_ns
        started_ns = min(line.latest_start_ns, earliest_ns + STEP_NS)
        late_ns = line.latest_start_ns - started_ns
        uncertainty_ns = min(started_ns - earliest_ns, STEP_NS) + ARRIVAL_UNCERTAINTY_NS
        # The time that was cut off when printing belongs before the collection's end, because the
        # arrival marks the end.
        ended_ns = line.arrived_ns - late_ns
        second_started_ns = ended_ns - second_ns
        whole_ns = first_ns + concurrent_ns + second_ns
        yield _event("gc_pause", started_ns, first_ns, line, uncertainty_ns + line.cut_ns)
        cycle = _event("gc_cycle", started_ns, whole_ns, line, uncertainty_ns + line.cut_ns)
        # Lines have no process number, so the heap's name is the number of the process found here.
        named = {"heap": place, "after_gap": after_gap}
        heap = None if line.heap is None else line.heap.model_copy(update=named)
        yield cycle.model_copy(update={"heap": heap})
        yield _event("gc_pause", second_started_ns, second_ns, line, uncertainty_ns)


def _event(
    kind: Kind, started_ns: int, duration_ns: int, line: _Line, uncertainty_ns: int
) -> Event:
    return Event(
        source="go",
        kind=kind,
        started_ns=max(0, started_ns),
        duration_ns=duration_ns,
        stops_the_world=kind == "gc_pause",
        text=line.text,
        uncertainty_ns=uncertainty_ns,
    )


def _cut_ns(printed_ms: str) -> int:
    """The value of the last printed digit: Go's function `fmtNSAsMS` prints two digits below 10 ms,
    and whole ms above.
    """
    _, _, decimals = printed_ms.partition(".")
    return int(10 ** (6 - min(6, len(decimals))))
