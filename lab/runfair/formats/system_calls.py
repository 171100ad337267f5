"""The system calls of a request, as a result of a run."""

from __future__ import annotations

from runfair.formats.finding import VerdictState
from runfair.formats.record import Record


class RequestSystemCalls(Record):
    """System calls per request, by kind, counted under a separate load. Each value is the median
    over the executions. The verdict is the verdict of the CPU time per request."""

    verdict: VerdictState
    read: float
    write: float
    wait: float
    lock: float
    other: float
