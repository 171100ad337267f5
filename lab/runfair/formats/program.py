"""The lines of a program's standard output (benchmarks/contract.md, version 2)."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from runfair.formats.distribution import Counted
from runfair.formats.record import Record, Row, Scalar, row

CONTRACT: Final = 2

Nanoseconds = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


@row
class Start(Row):
    """The first line: the program, its input, and the settings in force. Programs of version 1 of
    the contract also printed their `workload`, `size` and `seed`; the records of stored runs may
    contain these fields."""

    event: Literal["start"]
    contract: Literal[1, 2]
    benchmark: str
    language: str
    tier: str
    workload: str | None = None
    size: str | None = None
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    runtime: str
    threads: Annotated[int, Field(ge=1)]
    processors: Annotated[int, Field(ge=1)]
    monotonic_ns: Nanoseconds
    realtime_ns: Nanoseconds
    cpu_clock_resolution_ns: Annotated[int, Field(ge=1, lt=2**63)]
    effective: dict[str, Scalar] = field(default_factory=dict)


class Metric(Record):
    value: float
    unit: str


class Iteration(Record):
    """A repetition of the task inside a process. `samples` are the non-empty cells of each
    distribution."""

    event: Literal["iteration"]
    index: Count
    started_monotonic_ns: Nanoseconds
    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    digest: Digest
    metrics: dict[str, Metric] = {}
    samples: dict[str, Counted] = {}


class Sample(Record):
    """A named series, or an HdrHistogram (V2 compressed, base 64). A line `sample` occurs only in
    stored runs of version 1 of the contract."""

    event: Literal["sample"]
    name: str
    unit: str
    values: list[float] | None = None
    hdr: str | None = None


class Operations(Record):
    """The operations that were counted in an iteration, or in the whole life of a service. The
    build that counts operations is never timed."""

    event: Literal["operations"]
    counters: dict[str, Count]


class Ready(Record):
    event: Literal["ready"]
    host: str
    port: Annotated[int, Field(ge=1, le=65535)]


class End(Record):
    event: Literal["end"]
    iterations: Count


Event = Annotated[Start | Iteration | Operations | Ready | End, Field(discriminator="event")]
EVENT: TypeAdapter[Start | Iteration | Operations | Ready | End] = TypeAdapter(Event)
SAMPLE: TypeAdapter[Sample] = TypeAdapter(Sample)
