"""What others took of whole blocks, for processes too short for the kernel's ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.execution import Execution
from runfair.formats.launch import ProcessorSpan
from runfair.formats.plan import Plan
from runfair.formats.reference import ReferenceReading

# /proc/stat counts in USER_HZ, 100 a second on both architectures that are measured here.
TICK_NS = 10_000_000


@dataclass(frozen=True)
class WholeBlocks:
    """Shares of the processors' time from the first start in each block to its last end; `doubt` is
    one tick a block and processor."""

    foreign: float
    steal: float
    doubt: float


@dataclass(frozen=True)
class BlockAccount:
    """Of one block; `doubt_ns` is one tick a processor."""

    foreign_ns: int
    steal_ns: int
    available_ns: int
    doubt_ns: int


def together(accounts: Sequence[BlockAccount]) -> WholeBlocks | None:
    """Over several blocks; None over none."""
    available_ns = sum(one.available_ns for one in accounts)
    if not available_ns:
        return None
    return WholeBlocks(
        sum(one.foreign_ns for one in accounts) / available_ns,
        sum(one.steal_ns for one in accounts) / available_ns,
        sum(one.doubt_ns for one in accounts) / available_ns,
    )


def account(
    records: Sequence[Execution], plan: Plan, readings: Sequence[ReferenceReading]
) -> BlockAccount | None:
    """Of the executions of one block. None where one of them does not tell: in records of before
    the launcher told, where the lab shares the processors, or where they had not all the same
    processors and boot."""
    started = [one for one in records if one.launch.wall_ns]
    spans = [one.launch.processor_span for one in started]
    told = [span for span in spans if span is not None]
    surroundings = {(one.boot_id, *one.launch.processors) for one in started}
    if not told or len(told) < len(spans) or len(surroundings) > 1:
        return None
    processors = set(started[0].launch.processors)
    if processors & set(plan.lab_processors):
        return None
    began_ns = min(one.launch.started_monotonic_ns for one in started)
    ended_ns = max(one.launch.started_monotonic_ns + one.launch.wall_ns for one in started)
    own_ns = sum(span.own_ns for span in told) + sum(
        _own_ns(one)
        for one in readings
        if one.boot_id == started[0].boot_id
        and one.processor in processors
        and began_ns <= one.started_monotonic_ns < ended_ns
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
    """What the reference loop's process took by itself; all of its life, where nobody tells."""
    return max(reading.cpu_ns, reading.process_ns - (reading.foreign_ns or 0))
