"""Cycles and instructions of living threads, counted by the processor (perf_event_open(2))."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.machine.perf_event import (
    EXCLUDE_KERNEL_AND_HYPERVISOR,
    HARDWARE,
    INHERIT,
    TIMES,
    Counters,
    timed_value_of,
)


@dataclass(frozen=True)
class CountedEvents:
    """Which events stand for cycles and for instructions: (type, config) of linux/perf_event.h."""

    cycles: tuple[int, int]
    instructions: tuple[int, int]


HARDWARE_EVENTS = CountedEvents(cycles=(HARDWARE, 0), instructions=(HARDWARE, 1))


class ProcessorCounters(Counters):
    """Counts from its making on, until it is closed, for these threads and all that they start.
    What the kernel does for them is counted too, where that is allowed.

    Raises OSError where there is nothing to count with, or where it is not allowed: `why_refused`
    says it for people. Other `events` than the processor's are for trying it out.
    """

    def __init__(self, threads: Iterable[int], events: CountedEvents = HARDWARE_EVENTS) -> None:
        super().__init__(("cycles", "instructions"))
        self._user_only = False
        those = list(threads)
        try:
            try:
                self._open(those, events, 0)
            except PermissionError:
                self.close()
                self._user_only = True
                self._open(those, events, EXCLUDE_KERNEL_AND_HYPERVISOR)
        except OSError:
            self.close()
            raise

    def read(self) -> ProcessorCounts:
        return ProcessorCounts(
            cycles=_sum(self._counters["cycles"]),
            instructions=_sum(self._counters["instructions"]),
            user_only=self._user_only,
        )

    def _open(self, threads: list[int], events: CountedEvents, without: int) -> None:
        named = (("cycles", events.cycles), ("instructions", events.instructions))
        for name, (kind, event) in named:
            for thread in threads:
                self._add(name, kind, event, INHERIT | without, thread, TIMES)


def _sum(counters: list[int]) -> CounterReading:
    told = [timed_value_of(counter) for counter in counters]
    return CounterReading(
        value=sum(value for value, _, _ in told),
        enabled_ns=sum(enabled_ns for _, enabled_ns, _ in told),
        running_ns=sum(running_ns for _, _, running_ns in told),
    )
