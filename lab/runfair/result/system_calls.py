"""The system calls of a request, from the calls that the kernel counted."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from runfair.formats.finding import VerdictState
from runfair.formats.service import SystemCallCounts
from runfair.formats.system_calls import RequestSystemCalls


def request_system_calls(
    counted: Sequence[SystemCallCounts | None], state: VerdictState
) -> RequestSystemCalls | None:
    """The median over the executions in which calls were counted. None if there are none, or if
    `state`, the verdict of the CPU time, is void: a service that answers wrongly does other
    work."""
    known = [one for one in counted if one is not None]
    if not known or state == "void":
        return None
    return RequestSystemCalls(
        verdict=state,
        read=median(one.read / one.requests for one in known),
        write=median(one.write / one.requests for one in known),
        wait=median(one.wait / one.requests for one in known),
        lock=median(one.lock / one.requests for one in known),
        other=median(one.other / one.requests for one in known),
    )
