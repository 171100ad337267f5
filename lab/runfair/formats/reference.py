"""One line of `reference.jsonl`: a reading of the reference loop between two executions."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from runfair.formats.record import Record

ReferenceKind = Literal["computing", "memory"]
KINDS: tuple[ReferenceKind, ...] = get_args(ReferenceKind)

Positive = Annotated[int, Field(gt=0)]


class BusyProgram(Record):
    """Somebody else's program, and its share of one processor since the reading before."""

    name: str
    share: float


class ReferenceReading(Record):
    """`kind` says what the loop did: computing, or walking through memory. It took `steps` of
    constant work, so that nanoseconds a step are the machine's level. `foreign_ns` and `steal_ns`
    are what others took of the `process_ns` that its process lived; None where the kernel does not
    tell. `took_ns` is what the reading cost the run, `after` the execution that it followed."""

    schema_version: Literal[1] = 1
    boot_id: str
    started_monotonic_ns: int
    kind: ReferenceKind
    processor: int
    steps: Positive
    wall_ns: Positive
    cpu_ns: Positive
    process_ns: int
    foreign_ns: int | None
    steal_ns: int | None
    took_ns: int
    after: str
    busy: list[BusyProgram] = []

    @property
    def ended_monotonic_ns(self) -> int:
        return self.started_monotonic_ns + self.wall_ns
