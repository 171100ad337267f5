"""The CPU time that other processes used during whole blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.evidence.machine_level import MachineLevel
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.launch import ProcessorSpan
from runfair.formats.plan import Plan

# /proc/stat counts in ticks of USER_HZ: 100 a second on both supported architectures.
TICK_NS = 10_000_000


@dataclass(frozen=True)
class WholeBlocks:
    """The shares of whole blocks that other processes took. The shares of whole blocks are used if
    executions are too short for kernel ticks.

    A share is a part of the processors' time, from the first start in each block to the last end.
    `doubt` is one tick for each block and processor."""

    foreign: float
    steal: float
    doubt: float


@dataclass(frozen=True)
class BlockAccount:
    """The CPU time that other processes used during a block. `doubt_ns` is one tick for each
    processor."""

    foreign_ns: int
    steal_ns: int
    available_ns: int
    doubt_ns: int


def together(accounts: Sequence[BlockAccount]) -> WholeBlocks | None:
    """The account of several blocks together; None if there are no blocks."""
    available_ns = sum(one.available_ns for one in accounts)
    if not available_ns:
        return None
    return WholeBlocks(
        sum(one.foreign_ns for one in accounts) / available_ns,
        sum(one.steal_ns for one in accounts) / available_ns,
        sum(one.doubt_ns for one in accounts) / available_ns,
    )


def account(records: Sequence[Execution], plan: Plan, level: MachineLevel) -> BlockAccount | None:
    """The CPU time that other processes used during a block's executions. None if the CPU time of
    other processes is unknown for an execution. It is unknown in old records, if the lab shares the
    processors, or if the executions had different processors or ran before and after a restart."""
    started = [one for one in records if one.launch.wall_ns]
    spans = [one.launch.processor_span for one in started]
    told = [span for span in spans if span is not None]
    surroundings = {(one.boot_id, *one.launch.processors) for one in started}
    if not told or len(told) < len(spans) or len(surroundings) > 1:
        return None
    if any(one.shares_processors(plan) for one in started):
        return None
    processors = set(started[0].launch.processors)
    began_ns = min(one.started_ns for one in started)
    ended_ns = max(one.started_ns + one.launch.wall_ns for one in started)
    own_ns = sum(span.own_ns for span in told) + sum(
        map(_own_ns, level.between(started[0].boot_id, processors, began_ns, ended_ns))
    )
    first, last = _ends(told)
    return BlockAccount(
        foreign_ns=max(0, last.busy_after_ns - first.busy_before_ns - own_ns),
        steal_ns=last.steal_after_ns - first.steal_before_ns,
        available_ns=(ended_ns - began_ns) * len(processors),
        doubt_ns=TICK_NS * len(processors),
    )


def _ends(told: Sequence[ProcessorSpan]) -> tuple[ProcessorSpan, ProcessorSpan]:
    first = min(told, key=lambda span: span.busy_before_ns)
    return first, max(told, key=lambda span: span.busy_after_ns)


def _own_ns(reading: ReferenceReading) -> int:
    """The CPU time of the reference loop's own process. If foreign time is unknown, it is the
    process's whole life."""
    return max(reading.cpu_ns, reading.process_ns - (reading.foreign_ns or 0))
