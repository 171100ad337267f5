"""Bytecode probes: the side file that a probed process leaves, and the tables made of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Record

Mode = Literal["count", "mark", "pairs", "profile", "latency", "instructions"]
Count = Annotated[int, Field(ge=0)]


class CountedBytecode(Record):
    """`family` is the bytecode that a specialised one stands for, otherwise its own name."""

    name: str
    family: str
    executions: Count


class CountedPair(Record):
    """How often `second` was executed next after `first`, in one thread."""

    first: str
    second: str
    executions: Count


class SampledPlace(Record):
    """Where samples fell. `bytecode` is None outside the interpreter; `part` is the part of the
    runtime, and empty if the adapter does not tell parts apart; `path` is empty and `line` is None
    if the place is not known. Columns are bytes of UTF-8, from 0; the end is exclusive.
    `instants_ns`: in the mode `profile`, when the samples were taken, on CLOCK_MONOTONIC."""

    bytecode: str | None
    part: str = ""
    path: str
    function: str
    line: int | None
    column: int | None
    end_column: int | None
    samples: Count
    instants_ns: list[Count] = []


class Sampling(Record):
    """`period_ns` of CPU time were asked for between two samples of a thread. `lost` samples found
    no place."""

    source: str
    period_ns: Annotated[int, Field(gt=0)]
    lost: Count
    places: list[SampledPlace]


class MeasuredBytecode(Record):
    """`count` executions of a bytecode, chosen at random: nanoseconds between two fences, the
    bracket's own included (`latency`), or instructions (`instructions`). Executions that entered or
    left the interpreter (`nested`) or lost the processor (`interrupted`) are not among them."""

    bytecode: str
    count: Count
    sum: float
    sum_of_squares: float
    nested: Count
    interrupted: Count


class Calibration(Record):
    """What the probe adds to an execution; `deviation_ns` is the standard deviation of the mean."""

    mean_ns: float
    deviation_ns: float


class ProbedProcess(Record):
    """What one process counted. `refused` says why it was left alone; empty if it was probed.
    `compiles`: the runtime compiles too, and counts are of what its interpreter dispatched."""

    schema_version: Literal[1] = 1
    runtime: str
    version: str
    executable: str
    pid: int
    mode: Mode
    refused: str = ""
    compiles: bool = False
    cpu_ns: Count = 0
    bytecodes: list[CountedBytecode] = []
    sampling: Sampling | None = None
    pairs: list[CountedPair] = []
    measured: list[MeasuredBytecode] = []
    calibration: Calibration | None = None


class Estimate(Record):
    """A value with its 95% confidence interval."""

    value: float
    low: float
    high: float


class LineShare(Record):
    """A line's share of the CPU time, or of a bytecode's CPU time. `bytecodes` are the shares of
    its commonest bytecodes in that of the line."""

    path: str
    line: int
    function: str
    share: float
    bytecodes: dict[str, float] = {}


class PartShare(Record):
    """The share of the CPU time in one part of the runtime: interpreter, compiled code, ..."""

    part: str
    share: Estimate


class BytecodeCost(Record):
    """`share` is of the CPU time of all processes in the table; `ns_each` is that time an
    execution, less what the probe itself adds. `latency_ns` is the time from dispatch to dispatch
    with nothing overlapping, the bracket's own subtracted. None in another mode, or without
    samples."""

    name: str
    family: str
    executions: Count
    share: Estimate | None = None
    ns_each: Estimate | None = None
    latency_ns: Estimate | None = None
    instructions: Estimate | None = None
    lines: list[LineShare] = []


class ProcessSummary(Record):
    pid: int
    executable: str
    executions: Count
    cpu_ns: Count
    refused: str = ""


class ProbeTable(Record):
    """All processes of one runtime, together. `outside` is the share of CPU time outside the
    interpreter: in threads that have executed no bytecode yet, and in the `parts` that are not it.
    `compiles`: the runtime compiles too, and counts are of what its interpreter dispatched.
    `probe_ns` is what the probe adds to
    an execution in a loop of a few bytecodes (`latency`: between its fences); it is subtracted.
    Bytecodes are sorted by share, or by executions."""

    runtime: str
    version: str
    compiles: bool = False
    processes: list[ProcessSummary]
    cpu_ns: Count
    executions: Count
    sampled_by: str = ""
    samples: Count = 0
    lost_samples: Count = 0
    outside: Estimate | None = None
    parts: list[PartShare] = []
    probe_ns: Estimate | None = None
    bytecodes: list[BytecodeCost]
    lines: list[LineShare] = []
    pairs: list[CountedPair] = []


class ProbeResult(Record):
    """What `./runfair probe` found. Nothing here was measured undisturbed: the program ran under
    the probe."""

    schema_version: Literal[1] = 1
    command: list[str]
    mode: Mode
    exit_status: int
    tables: list[ProbeTable]
    refused: list[ProcessSummary] = []
