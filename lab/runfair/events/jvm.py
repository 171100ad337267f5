"""A reader of HotSpot's unified logging (JEP 158) in JDK 11 and newer, for all collectors.

The decoration `timenanos` is the value of `os::javaTimeNanos`, which reads CLOCK_MONOTONIC on
Linux. A line is stamped when it is logged, that is, at the end of the event that it reports. For
collections the start is logged too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from runfair.events.reading import Reading, event_text, merged
from runfair.formats.event import Event, HeapChange, Kind

SELECTION = "gc,gc+start,gc+phases,safepoint,jit+compilation=debug"
"""Every set of tags in this table exists since JDK 9. If a tag were unknown, the program would not
start."""

MIB = 1 << 20
"""Heaps are printed as whole megabytes, rounded down."""

PRINTED_STEP_NS = 1_000
"""Durations of collections are printed in ms with three decimals."""

STAMP_UNCERTAINTY_NS = 100_000
"""The delay from the end of a safepoint, or from the start of a compilation, until its line is
stamped. The delay is a few µs in measurements, and more if the logging thread loses its processor.
"""

_LINE = re.compile(r"\[(\d{1,18})ns\]\[([a-z,0-9]+) *\] ?(.*)", re.DOTALL)
_GC = re.compile(r"GC\((\d{1,9})\) +(.*)", re.DOTALL)
_PAUSE = re.compile(
    r"((?:\w: )?Pause .*?)(?: (\d{1,9})M(?:\(\d+%\))?->(\d{1,9})M\S*)? (\d{1,9}\.\d{3})ms"
)
# "Pause Young (Concurrent Start)" is a pause; the cycle that it starts has its own number.
_CONCURRENT = re.compile(r"(?:\w: )?Concurrent ")
# These collectors free memory while the program runs, so the freed memory cannot be assigned to a
# pause.
_FREES_BESIDE = re.compile(r"Using (?:Shenandoah|The Z Garbage Collector)")
_STALL = re.compile(r"((?:Allocation|Relocation) Stall \(.*\)) (\d{1,9}\.\d{3})ms")
_SAFEPOINT = re.compile(r'Safepoint "(\w+)",.* Total: (\d{1,18}) ns.*')
_STOPPED = re.compile(
    r"Total time for which application threads were stopped: (\d{1,9}\.\d{1,9}) seconds,.*"
)
_COMPILATION = re.compile(r" *\d+ +[%sbn! ]{1,6} *[0-4-]? .*\S.*")
_DISCARDED = re.compile(r"made (?:not entrant|zombie)")


def log_option(folder: Path) -> str:
    """The option that makes a JVM write its log to `folder`, one file for each process."""
    return f'-Xlog:{SELECTION}:file="{folder}/jvm-%p.log":timenanos,tags:filecount=0'


def read_jvm(folder: Path) -> Reading:
    """All events that JVMs logged to `folder`."""
    return merged(_read_file(path) for path in sorted(folder.glob("jvm-*.log")))


def _read_file(path: Path) -> Reading:
    pid = path.stem.removeprefix("jvm-")
    with path.open(encoding="utf-8", errors="replace") as lines:
        return read_log(lines, int(pid) if pid.isascii() and pid.isdigit() else None)


@dataclass
class _Cycle:
    """The state of one collection, from the lines of the log so far."""

    first_ns: int
    last_ns: int
    text: str
    starts_ns: dict[str, int] = field(default_factory=dict)
    concurrent: bool = False


def read_log(lines: Iterable[str], pid: int | None = None) -> Reading:
    """The events of one JVM's log. Lines that are malformed or have no decoration are counted; they
    are not an error.
    """
    events: list[Event] = []
    cycles: dict[int, _Cycle] = {}
    frees_beside = False
    unread = 0
    for line in lines:
        decorated = _LINE.fullmatch(line.rstrip("\n"))
        if decorated is None:
            unread += 1
            continue
        stamp_ns, tags, text = int(decorated[1]), decorated[2], decorated[3]
        frees_beside |= _FREES_BESIDE.match(text) is not None
        if tags.startswith("gc"):
            found = _of_collection(stamp_ns, tags, text, cycles, pid)
        elif tags == "safepoint":
            found = _of_safepoint(stamp_ns, text, pid)
        else:
            found = _of_compiler(stamp_ns, text, pid)
        if isinstance(found, Event):
            events.append(found.model_copy(update={"heap": None}) if frees_beside else found)
        elif found is _NOT_UNDERSTOOD:
            unread += 1
    events += [_cycle_event(cycle, pid) for cycle in cycles.values() if cycle.concurrent]
    return merged([Reading(tuple(events), 1, unread)])


class _NotUnderstood:
    pass


_NOT_UNDERSTOOD = _NotUnderstood()
Found = Event | _NotUnderstood | None
"""The kind of event that a line reports; None if the line is understood but is not an event by
itself."""


def _of_collection(
    stamp_ns: int, tags: str, text: str, cycles: dict[int, _Cycle], pid: int | None
) -> Found:
    numbered = _GC.fullmatch(text)
    if numbered is None:
        return _of_stall(stamp_ns, text, pid)
    words = numbered[2]
    cycle = cycles.setdefault(int(numbered[1]), _Cycle(stamp_ns, stamp_ns, words))
    cycle.last_ns = max(cycle.last_ns, stamp_ns)
    cycle.concurrent |= _CONCURRENT.match(words) is not None
    if tags == "gc,start":
        cycle.starts_ns[words] = stamp_ns
        return None
    return _of_pause(stamp_ns, words, cycle, pid) if "Pause " in words else None


def _of_stall(stamp_ns: int, text: str, pid: int | None) -> Found:
    stall = _STALL.fullmatch(text)
    if stall is None:
        return _NOT_UNDERSTOOD if " Stall " in text else None
    # Only one thread waits for memory in this event; the others continue.
    return _timed("gc_pause", stamp_ns, _ns(stall[2]), stall[1], pid, world=False)


def _of_pause(stamp_ns: int, words: str, cycle: _Cycle, pid: int | None) -> Found:
    pause = _PAUSE.fullmatch(words)
    if pause is None:
        return _NOT_UNDERSTOOD
    duration_ns = _ns(pause[4])
    heap = _heap(pause[2], pause[3])
    logged_start_ns = cycle.starts_ns.pop(pause[1], None)
    if logged_start_ns is None:
        found = _timed("gc_pause", stamp_ns, duration_ns, pause[1], pid, world=True)
        return found.model_copy(update={"heap": heap})
    # Both lines were stamped, and a stamp can only be late. The earlier time is therefore better,
    # and the difference is the error of the later time.
    late_ns = abs(stamp_ns - logged_start_ns - duration_ns)
    return Event(
        source="jvm",
        kind="gc_pause",
        pid=pid,
        started_ns=max(0, min(logged_start_ns, stamp_ns - duration_ns)),
        duration_ns=duration_ns,
        stops_the_world=True,
        text=event_text(pause[1]),
        uncertainty_ns=late_ns + PRINTED_STEP_NS,
        heap=heap,
    )


def _heap(before_mib: str | None, after_mib: str | None) -> HeapChange | None:
    if before_mib is None or after_mib is None:
        return None
    return HeapChange(
        before_bytes=int(before_mib) * MIB, after_bytes=int(after_mib) * MIB, step_bytes=MIB
    )


def _of_safepoint(stamp_ns: int, text: str, pid: int | None) -> Found:
    if found := _SAFEPOINT.fullmatch(text):
        return _timed("safepoint", stamp_ns, int(found[2]), found[1], pid, world=True)
    if found := _STOPPED.fullmatch(text):  # JDK 11 and 12
        duration_ns = round(float(found[1]) * 1e9)
        return _timed("safepoint", stamp_ns, duration_ns, "stopped", pid, world=True)
    return _NOT_UNDERSTOOD if "Safepoint " in text else None


def _of_compiler(stamp_ns: int, text: str, pid: int | None) -> Found:
    if not _COMPILATION.fullmatch(text):
        return _NOT_UNDERSTOOD
    kind: Kind = "deoptimisation" if _DISCARDED.search(text) else "compilation"
    return _timed(kind, stamp_ns, 0, text, pid, world=False)


def _cycle_event(cycle: _Cycle, pid: int | None) -> Event:
    return _timed(
        "gc_cycle", cycle.last_ns, cycle.last_ns - cycle.first_ns, cycle.text, pid, world=False
    )


def _timed(
    kind: Kind, ended_ns: int, duration_ns: int, text: str, pid: int | None, *, world: bool
) -> Event:
    return Event(
        source="jvm",
        kind=kind,
        pid=pid,
        started_ns=max(0, ended_ns - duration_ns),
        duration_ns=duration_ns,
        stops_the_world=world,
        text=event_text(text),
        uncertainty_ns=STAMP_UNCERTAINTY_NS,
    )


def _ns(milliseconds: str) -> int:
    return round(float(milliseconds) * 1e6)
