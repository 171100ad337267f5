"""What a program says on standard output (benchmarks/contract.md, version 1)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from runfair.formats.record import Record, Scalar

CONTRACT = 1

Nanoseconds = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
LineNumber = Annotated[int, Field(ge=1, lt=2**31)]
LineValue = Annotated[float, Field(allow_inf_nan=False)]
LineValues = Annotated[dict[LineNumber, LineValue], Field(min_length=1)]


class Start(Record):
    """The first line: who runs, on what, with what really in force."""

    event: Literal["start"]
    contract: Literal[1]
    benchmark: str
    language: str
    tier: str
    workload: str
    size: str
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    runtime: str
    threads: Annotated[int, Field(ge=1)]
    processors: Annotated[int, Field(ge=1)]
    monotonic_ns: Nanoseconds
    realtime_ns: Nanoseconds
    cpu_clock_resolution_ns: Annotated[int, Field(ge=1, lt=2**63)]
    effective: dict[str, Scalar] = {}


class Metric(Record):
    value: float
    unit: str


class Iteration(Record):
    """One repetition of the task inside a process."""

    event: Literal["iteration"]
    index: Count
    started_monotonic_ns: Nanoseconds
    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    digest: Digest
    metrics: dict[str, Metric] = {}


class Sample(Record):
    """A named series, or an HdrHistogram (V2 compressed, base 64)."""

    event: Literal["sample"]
    name: str
    unit: str
    values: list[float] | None = None
    hdr: str | None = None


class Operations(Record):
    """The task's own work, counted; never timed."""

    event: Literal["operations"]
    counters: dict[str, Count]


class Lines(Record):
    """Figures for lines of one source file of the program, by line, from 1; `path` is relative to
    the program's folder."""

    event: Literal["lines"]
    path: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]+$")]
    name: Annotated[str, Field(min_length=1)]
    unit: str
    values: LineValues


class Ready(Record):
    event: Literal["ready"]
    host: str
    port: Annotated[int, Field(ge=1, le=65535)]


class End(Record):
    event: Literal["end"]
    iterations: Count


Event = Annotated[
    Start | Iteration | Sample | Operations | Lines | Ready | End, Field(discriminator="event")
]
EVENT: TypeAdapter[Start | Iteration | Sample | Operations | Lines | Ready | End] = TypeAdapter(
    Event
)
