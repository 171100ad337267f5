"""`warm-up.csv`: each service's latency by window, from its first request on."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.formats.event import Event
from runfair.statistics.array import IntArray
from runfair.statistics.pauses import united

COLUMNS = (
    "cell",
    "execution",
    "start_ns",
    "end_ns",
    "requests",
    "p50_ns",
    "p99_ns",
    "segment",
    "steady",
    "pauses",
    "paused_ns",
    "compilations",
    "deoptimisations",
)
# The last column is present if events and requests have different clocks.
UNCERTAINTY = "clock_uncertainty_ns"


def warm_up_csv(run: RunEvidence, events: Mapping[str, Sequence[Event]]) -> str:
    """The text of the file, with a line for each window; empty if no service was under load.
    Instants are counted from the load's start. `segment` is the number of the level that the
    steady-state detector found. The argument `events` is keyed by execution. Columns of events are
    empty if the runtime reported none. `pauses` counts the pauses that begin in the window, and
    `paused_ns` is the part of the window that lies in pauses. Pauses that overlap are one pause: a
    JVM reports a collection's pause and the safepoint around it."""
    lines = [
        line
        for one in run.services
        for each in one.executions
        for line in _lines(one.cell.id, each, events.get(each.record.id))
    ]
    if not lines:
        return ""
    uncertain = [
        each.pauses.uncertainty_ns
        for one in run.services
        for each in one.executions
        if each.pauses is not None
    ]
    apart = (max(uncertain),) if any(uncertain) else ()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*COLUMNS, *[UNCERTAINTY] * len(apart)))
    writer.writerows((*line, *apart) for line in lines)
    return text.getvalue()


def _lines(
    cell: str, each: ExecutionEvidence, events: Sequence[Event] | None
) -> Iterator[tuple[object, ...]]:
    load = each.load
    if load is None:
        return
    windows = load.windows
    ends = [segment.end for segment in load.steady.segments]
    stopped = _stopped(events or ())
    for place in range(len(windows.start_ns)):
        start_ns, end_ns = int(windows.start_ns[place]), int(windows.end_ns[place])
        began_ns = load.result.started.monotonic_ns
        steady = load.steady.start is not None and place >= load.steady.start
        yield (
            cell,
            each.record.id,
            start_ns,
            end_ns,
            int(windows.count[place]),
            int(windows.p50_ns[place]),
            int(windows.p99_ns[place]),
            bisect_left(ends, place + 1) + 1,
            int(steady),
            *_counted(events, stopped, began_ns + start_ns, began_ns + end_ns),
        )


def _stopped(events: Sequence[Event]) -> IntArray:
    spans = [(one.started_ns, one.ended_ns) for one in events if one.stops_the_world]
    return united(np.array(spans, dtype=np.int64).reshape(len(spans), 2))


def _counted(
    events: Sequence[Event] | None, stopped: IntArray, start_ns: int, end_ns: int
) -> tuple[object, object, object, object]:
    """The events in a window: the number and the time of pauses, and the numbers of compilations
    and deoptimisations."""
    if events is None:
        return "", "", "", ""
    kinds = [one.kind for one in events if start_ns <= one.started_ns < end_ns]
    pauses = np.count_nonzero((start_ns <= stopped[:, 0]) & (stopped[:, 0] < end_ns))
    within = np.clip(stopped, start_ns, end_ns)
    paused_ns = int((within[:, 1] - within[:, 0]).sum())
    return pauses, paused_ns, kinds.count("compilation"), kinds.count("deoptimisation")
