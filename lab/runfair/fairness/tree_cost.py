"""What one process tree used for a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.interval_log import Interval
from runfair.formats.load_result import LoadResult
from runfair.formats.service import Usage


@dataclass(frozen=True)
class TreeCost:
    """What one process tree used a request, between the first and the last look inside the steady
    part. None where nobody could account for it; `system_share` is of the CPU time, and steps by
    the kernel's ticks. `user_only`: cycles and instructions are without the kernel's."""

    cpu_ns: float | None = None
    system_share: float | None = None
    run_queue_ns: float | None = None
    switches: float | None = None
    cycles: float | None = None
    instructions: float | None = None
    user_only: bool = False

    @classmethod
    def of(
        cls,
        usage: Sequence[Usage],
        name: str,
        result: LoadResult,
        intervals: Sequence[Interval],
        from_ns: int,
    ) -> TreeCost:
        began_ns = result.started.monotonic_ns
        looks = [
            one
            for one in usage
            if one.of == name and from_ns <= one.monotonic_ns - began_ns <= result.elapsed_ns
        ]
        if len(looks) < 2:
            return cls()
        first, last = looks[0], looks[-1]
        requests = sum(
            one.histogram.total
            for one in intervals
            if first.monotonic_ns <= began_ns + one.start_ns < last.monotonic_ns
        )
        if not requests:
            return cls()
        cpu_ns = last.cpu_ns - first.cpu_ns
        switches = (
            last.voluntary_switches
            + last.involuntary_switches
            - first.voluntary_switches
            - first.involuntary_switches
        )
        queued = None
        if first.run_queue_ns is not None and last.run_queue_ns is not None:
            queued = (last.run_queue_ns - first.run_queue_ns) / requests
        ticks_ns = last.user_ns + last.system_ns - first.user_ns - first.system_ns
        system = (last.system_ns - first.system_ns) / ticks_ns if ticks_ns else None
        counted = None
        if first.processor is not None and last.processor is not None:
            counted = last.processor.since(first.processor)
        return cls(
            cpu_ns / requests,
            system,
            queued,
            switches / requests,
            cycles=_each(counted.cycles.estimate, requests) if counted else None,
            instructions=_each(counted.instructions.estimate, requests) if counted else None,
            user_only=counted is not None and counted.user_only,
        )


def _each(whole: float | None, requests: int) -> float | None:
    return None if whole is None else whole / requests
