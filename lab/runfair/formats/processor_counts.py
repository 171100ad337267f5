"""What the processor itself counted of a process tree: its cycles and its instructions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runfair.formats.record import Record

# Where more events are asked for than a processor has counters they take turns. An event that was
# counted for less than half of the time says more about when its turns were than about the program.
LEAST_COUNTED_SHARE = 0.5


class CounterReading(Record):
    """One event so far. `enabled_ns` is how long threads ran in which it was to be counted,
    `running_ns` for how much of that it had a counter (perf_event_open(2), read_format)."""

    value: Annotated[int, Field(ge=0)]
    enabled_ns: Annotated[int, Field(ge=0)]
    running_ns: Annotated[int, Field(ge=0)]

    def since(self, earlier: CounterReading) -> CounterReading:
        return CounterReading(
            value=self.value - earlier.value,
            enabled_ns=self.enabled_ns - earlier.enabled_ns,
            running_ns=self.running_ns - earlier.running_ns,
        )

    @property
    def estimate(self) -> float | None:
        """As if it had been counted all the time; None where it was for too little of it."""
        if not self.running_ns or self.running_ns < LEAST_COUNTED_SHARE * self.enabled_ns:
            return None
        return self.value * self.enabled_ns / self.running_ns


class ProcessorCounts(Record):
    """`user_only`: what the kernel did for the program is not in it, as it does not let that be
    counted."""

    cycles: CounterReading
    instructions: CounterReading
    user_only: bool

    def since(self, earlier: ProcessorCounts) -> ProcessorCounts:
        return ProcessorCounts(
            cycles=self.cycles.since(earlier.cycles),
            instructions=self.instructions.since(earlier.instructions),
            user_only=self.user_only,
        )
