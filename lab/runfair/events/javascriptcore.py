"""A reader of the log of collections and compilations that JavaScriptCore writes to standard error
in Bun.

`BUN_JSC_logGC=1` and `BUN_JSC_reportCompileTimes=1` set the JavaScriptCore options of these names
(OptionsList.h). A collection stops the program once or several times and writes a line for each
stop. The first piece of the line is written when the stop begins. The line is written in dozens of
pieces, and the last piece has the length of the stop (`p=`). Lines have no time stamp, so the
arrival of the first byte is taken as the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from runfair.events.reading import Reading, event_text, merged
from runfair.events.stamped_stream import StampedLine
from runfair.formats.event import Event, Kind

ARRIVAL_UNCERTAINTY_NS = 4_000_000
"""A line is stamped when it is read. On a machine that other programs also use, it is read 0.05 ms
late at the median and 4 ms late at the 99th percentile (docs/events.md).
"""

_MS = r"(\d{1,9}(?:\.\d{1,9})?)ms"
_STOP = re.compile(rf"\[GC<(0x[0-9a-f]+)>: (START )?([A-Z] .*?) p={_MS} \(max .*?( END)?\]")
_BEGINS = re.compile(r"\[GC<0x[0-9a-f]+>: (?:START )?[A-Z] ")
_COMPILATION = re.compile(
    r"Optimized (.*) using (\w+) with (\w+) into \d+ bytes in (\d{1,9}(?:\.\d{1,9})?) ms"
)
_ADDRESS = re.compile(r":?\[0x[0-9a-fx>-]+, ?|0x[0-9a-f]+->")


def read_javascriptcore(lines: Iterable[StampedLine]) -> Reading:
    """The events that JavaScriptCore reported on a standard error. Lines of the program itself are
    skipped."""
    events: list[Event] = []
    begun: dict[str, StampedLine] = {}  # keyed by heap
    unread = 0
    for line in lines:
        # Behind an unfinished line of the program, a stop has no time of its own.
        if found := _STOP.match(line.text):
            heap, first, words, pause_ms, last = found.groups()
            duration_ns = round(float(pause_ms) * 1e6)
            ended_ns = line.arrived_ns + duration_ns
            events.append(_event("gc_pause", ended_ns, duration_ns, words.partition(",")[0]))
            if first is not None:
                begun[heap] = line
            start = begun.pop(heap, None) if last is not None else None
            if start is not None and start is not line:
                whole_ns = ended_ns - start.arrived_ns
                events.append(_event("gc_cycle", ended_ns, whole_ns, "collection"))
            continue
        unread += bool(_BEGINS.search(line.text))
        if found := _COMPILATION.search(line.text):
            duration_ns = round(float(found[4]) * 1e6)
            words = f"{found[2]} {_ADDRESS.sub(' ', found[1])}"
            events.append(_event("compilation", line.arrived_ns, duration_ns, words))
    # If several processes write to one standard error, their lines cannot be distinguished.
    return merged([Reading(tuple(events), int(bool(events)), unread)])


def _event(kind: Kind, ended_ns: int, duration_ns: int, text: str) -> Event:
    return Event(
        source="javascriptcore",
        kind=kind,
        started_ns=max(0, ended_ns - duration_ns),
        duration_ns=duration_ns,
        stops_the_world=kind == "gc_pause",
        text=event_text(text),
        uncertainty_ns=ARRIVAL_UNCERTAINTY_NS,
    )
