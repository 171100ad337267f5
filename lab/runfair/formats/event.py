"""A runtime's own events: collections, compilations, safepoints, on the monotonic clock.

A run stores them in `events/EXECUTION.jsonl`, a line for each event, in the order of their starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.place import Clock
from runfair.formats.program import Nanoseconds
from runfair.formats.record import Record

Source = Literal["jvm", "go", "v8", "javascriptcore", "cpython", "pypy"]
Kind = Literal["gc_pause", "gc_cycle", "safepoint", "compilation", "deoptimisation"]

LONGEST_TEXT = 200


Bytes = Annotated[int, Field(ge=0, lt=2**63)]


class HeapChange(Record):
    """The size of a heap at the beginning and the end of a collection. Both sizes are rounded down
    to a multiple of `step_bytes`. During a concurrent collection the program allocated
    `meanwhile_bytes`. `heap` names the heap if a process has several heaps. `after_gap`: the
    collection of this heap before this one is not recorded, because it could not be read."""

    before_bytes: Bytes
    after_bytes: Bytes
    meanwhile_bytes: Bytes = 0
    step_bytes: Annotated[int, Field(ge=1)]
    heap: Annotated[int, Field(ge=0)] = 0
    after_gap: bool = False


class Event(Record):
    """An action of a runtime.

    - `gc_pause`: a collection's work while the program's threads wait for it; - `gc_cycle`: a whole
    concurrent collection, including its pauses, or (`duration_ns` 0) the end of a collection in
    steps; - `safepoint`: all threads stopped, for any reason, from the request until they continue;
    - `compilation`: code was compiled, or (`duration_ns` 0) its compilation began or ended; -
    `deoptimisation`: compiled code was discarded or left.

    Instants are read from CLOCK_MONOTONIC of the place where the runtime ran. The true start lies
    within `uncertainty_ns` of `started_ns` (docs/events.md gives the precision of each source).
    `stops_the_world`: no thread of the event's process runs during the event. `text` is the
    runtime's own text; `heap` is a collection's effect on the heap, if the runtime reports it.
    `instance` is the number of the service's instance, counted from 1.
    """

    source: Source
    kind: Kind
    pid: Annotated[int, Field(ge=0)] | None = None
    started_ns: Nanoseconds
    duration_ns: Nanoseconds
    stops_the_world: bool
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    uncertainty_ns: Nanoseconds
    heap: HeapChange | None = None
    instance: Annotated[int, Field(ge=1)] | None = None

    @property
    def ended_ns(self) -> int:
        return self.started_ns + self.duration_ns

    def to_lab(self, clock: Clock) -> Event:
        """The event with its instants converted from the clock of the runtime's place to the lab's
        clock."""
        if clock == Clock():
            return self
        return self.model_copy(
            update={
                "started_ns": clock.to_lab(self.started_ns),
                "uncertainty_ns": self.uncertainty_ns + clock.uncertainty_ns,
            }
        )


def write_events(path: Path, events: Iterable[Event]) -> None:
    """Write a line for each event; the folder must exist."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(event.model_dump_json() + "\n" for event in events)


def read_events(path: Path) -> Iterator[Event]:
    """The file's events in order. Raises pydantic's ValidationError for a malformed line."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Event.model_validate_json(line)
