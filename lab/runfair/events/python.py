"""A reader of the events of CPython and PyPy. The preload in `preloads/python` wrote them to a file
for each process.

CPython calls `gc.callbacks` just before and just after each collection. After a step of a major
collection, PyPy calls `gc.hooks` when it next runs bytecode. One call covers all steps since the
previous call, which may belong to several collections. Another hook reports the ends of major
collections. Minor collections are left out, because reporting each of them costs too much. PyPy's
JIT compiler calls a hook after each compilation.
"""

from __future__ import annotations

import struct
from pathlib import Path

from runfair.events.reading import Reading, merged
from runfair.formats.event import Event, Kind, Source

RECORD = struct.Struct("<QQIIQ")
"""The fields of an event, as preloads/python/sitecustomize.py writes them: started_ns, duration_ns,
code, count, number."""

CPYTHON_UNCERTAINTY_NS = 10_000
"""The two clock readings are taken before and after the collection. Between them PyGC also calls
other callbacks."""

PYPY_UNCERTAINTY_NS = 1_000_000
"""A hook is delayed until the current call into C returns; docs/events.md has the
measured delays.
"""

_GENERATIONS = range(3)
_STEP, _COMPILED, _ENDED = 17, 18, 19


def read_python(folder: Path) -> Reading:
    """All events that Python processes wrote to `folder`."""
    readings = []
    for path in sorted(folder.glob("*.gc")):
        implementation, _, rest = path.stem.partition("-")
        pid = rest.partition("-")[0]
        source: Source | None = (
            "pypy"
            if implementation == "pypy"
            else "cpython"
            if implementation == "cpython"
            else None
        )
        if source is not None:
            readings.append(
                read_records(path.read_bytes(), source, int(pid) if pid.isdigit() else None)
            )
    return merged(readings)


def read_records(content: bytes, source: Source, pid: int | None = None) -> Reading:
    """The events of one process. The file ends with zeros, because it grows piece by piece."""
    events = []
    unread = 0
    whole = len(content) - len(content) % RECORD.size
    for started_ns, duration_ns, code, count, number in RECORD.iter_unpack(content[:whole]):
        if started_ns == 0:
            continue
        described = _described(source, code, count, number)
        if described is None or max(started_ns, duration_ns) >= 2**63:
            unread += 1
            continue
        kind, text = described
        events.append(
            Event(
                source=source,
                kind=kind,
                pid=pid,
                started_ns=started_ns,
                duration_ns=duration_ns,
                stops_the_world=kind == "gc_pause",
                text=text,
                uncertainty_ns=_uncertainty_ns(source, duration_ns, count),
            )
        )
    return merged([Reading(tuple(events), 1, unread)])


def _described(source: Source, code: int, count: int, number: int) -> tuple[Kind, str] | None:
    if source == "cpython" and code in _GENERATIONS:
        return "gc_pause", f"generation {code}, {number} objects collected"
    if source == "pypy" and code == _STEP:
        return "gc_pause", f"steps of major garbage collections, recorded as one event: {count}"
    if source == "pypy" and code == _ENDED:
        return "gc_cycle", "end of a major garbage collection"
    if source == "pypy" and code == _COMPILED:
        return "compilation", f"{number} bytes of machine code"
    return None


def _uncertainty_ns(source: Source, duration_ns: int, count: int) -> int:
    if source == "cpython":
        return CPYTHON_UNCERTAINTY_NS
    # If several steps are reported together, only the sum of their durations is known.
    return PYPY_UNCERTAINTY_NS + (duration_ns if count > 1 else 0)
