"""Bytecode probes: the file that each probed process writes, the tables computed from these files,
and the files and the result of one execution of a run (`probes/EXECUTION.json`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from runfair.formats.checks import ChecksResult
from runfair.formats.estimate import Estimate
from runfair.formats.finding import VerdictState
from runfair.formats.instructions import InstructionCounts, IterationInstructions
from runfair.formats.kept_file import write_whole
from runfair.formats.record import BrokenFile, Record
from runfair.formats.records_file import read_record

Mode = Literal["count", "mark", "pairs", "profile", "latency", "instructions"]
# What a user may ask for: `all` are several executions, each in its own mode.
AskedMode = Literal["count", "mark", "pairs", "profile", "latency", "instructions", "all"]
Count = Annotated[int, Field(ge=0)]
# The elements of `Sampling.calls` that are not functions: the bottom of complete call paths, and of
# paths whose outer callers are missing.
ALL_CALLERS, TRUNCATED_CALLERS = 0, 1
TRUNCATED = "[truncated]"  # the name of the outer callers that are missing


class CountedBytecode(Record):
    """The number of executions of a bytecode. For a specialised bytecode, `family` is the general
    bytecode that it replaces; otherwise it is the bytecode's own name. `copied`: the probe executed
    a copy of the bytecode's code, and did not jump to the original."""

    name: str
    family: str
    executions: Count
    copied: bool = False


class CountedPair(Record):
    """The number of times that a thread executed `second` immediately after `first`."""

    first: str
    second: str
    executions: Count


class SampledPlace(Record):
    """A place in the code at which samples were taken. `bytecode` is None outside the interpreter.
    `part` is the part of the runtime; it is empty if the adapter cannot distinguish parts. If the
    place in the source is unknown, `path` is empty and `line` is None. Columns are bytes of UTF-8,
    from 0; the end is exclusive. `caller` is the function's innermost caller: a position in
    `Sampling.calls`. `instants_ns`: in the mode `profile`, when the samples were taken, on
    CLOCK_MONOTONIC."""

    bytecode: str | None
    part: str = ""
    path: str
    function: str
    line: int | None
    column: int | None
    end_column: int | None
    caller: Count | None = None
    samples: Count
    instants_ns: list[Count] = []


class Call(Record):
    """A function on the way to a sample. `caller` is the position of its own caller, which comes
    before it in the list. `function` and `path` are empty if the function's name is unknown."""

    path: str
    function: str
    caller: Count


class Sampling(Record):
    """The sampling of the process. `period_ns` is the requested CPU time between two samples of a
    thread. If the processor's counter of cycles triggered the samples, `period_cycles` is the
    number of cycles between them; otherwise it is 0. `lost` counts the samples that could not be
    assigned to a place. `calls` are the call paths of all samples, as a tree. The first two
    elements are no functions: they are the bottom of complete paths, and the bottom of paths whose
    outer callers are missing. `calls` is None if the probe records no callers in this runtime."""

    source: str
    period_ns: Annotated[int, Field(gt=0)]
    period_cycles: Count = 0
    lost: Count
    calls: list[Call] | None = None
    places: list[SampledPlace]

    @model_validator(mode="after")
    def _callers_exist(self) -> Sampling:
        calls = self.calls or []
        if any(call.caller >= at for at, call in enumerate(calls) if at > TRUNCATED_CALLERS):
            raise ValueError(
                "in the list `calls`, each caller must come before the functions that it calls"
            )
        if any((place.caller or 0) >= max(len(calls), 1) for place in self.places):
            raise ValueError("an entry of `places` names a caller that is not in the list `calls`")
        return self


class MeasuredBytecode(Record):
    """A measurement of `count` randomly chosen executions of a bytecode. Between two fences it
    measures nanoseconds (`latency`), including the cost of the fences themselves, or instructions
    (`instructions`). Executions that entered or left the interpreter (`nested`) or lost the
    processor (`interrupted`) are left out."""

    bytecode: str
    count: Count
    sum: float
    sum_of_squares: float
    nested: Count
    interrupted: Count


class Calibration(Record):
    """The cost that the probe adds to the execution of a bytecode; `deviation_ns` is the standard
    deviation of the mean. The cost is smaller if the bytecode is `copied`."""

    mean_ns: float
    deviation_ns: float


class Cycle(Record):
    """The duration of a processor cycle while the process was probed; `deviation_ns` is the
    standard deviation of the mean."""

    mean_ns: Annotated[float, Field(gt=0)]
    deviation_ns: float


class ProbedProcess(Record):
    """The counts and samples of one process. `refused` says why the process was not probed; it is
    empty if the process was probed. `compiles`: the runtime also compiles, so only the bytecodes
    that its interpreter executed are counted. `no_lines` says why samples have no source lines; it
    is empty if the lines are known, or if the probe does not say why they are not."""

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
    no_lines: str = ""
    pairs: list[CountedPair] = []
    measured: list[MeasuredBytecode] = []
    calibration: Calibration | None = None
    copy_calibration: Calibration | None = None
    cycle: Cycle | None = None


class LineShare(Record):
    """A line's share of the CPU time, or of a bytecode's CPU time. `bytecodes` has the most
    frequent bytecodes of the line, each with its share of the line's CPU time."""

    path: str
    line: int
    function: str
    share: float
    bytecodes: dict[str, float] = {}


class FunctionShare(Record):
    """A function's share of the CPU time, with the time of what it called in the runtime itself.
    The share of a function that HotSpot compiled has only the time in its own machine code. `path`
    is empty if it is unknown."""

    path: str
    function: str
    share: float


class PartShare(Record):
    """The share of the CPU time in one part of the runtime: interpreter, compiled code, ..."""

    part: str
    share: Estimate


FrameKind = Literal["part", "function", "line", "bytecode"]


class FrameShare(Record):
    """A box of the flame graph, with its share of the CPU time. `below` is the position of the box
    below it in the list; None at the bottom. `path` is the source file of a function or a line.
    Boxes of less than 0.2% are left out, so the boxes above a box may be narrower than it."""

    kind: FrameKind
    name: str
    path: str
    below: int | None
    share: float


class BytecodeCost(Record):
    """The cost of a bytecode. `share` is its share of the CPU time of all processes in the table.
    `ns_each` is that CPU time per execution, without the cost that the probe itself adds.
    `cycles_each` is the same in cycles of the processor.
    `latency_ns` is the time from dispatch to dispatch when no other bytecode overlaps, without the
    cost of the fences. The latency is None in other modes, and if there are no samples."""

    name: str
    family: str
    executions: Count
    share: Estimate | None = None
    ns_each: Estimate | None = None
    cycles_each: Estimate | None = None
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
    """All processes of one runtime, together. `outside` is the share of CPU time spent outside the
    interpreter: in threads that have not executed a bytecode yet, and in `parts` of the runtime
    other than the interpreter. `compiles`: the runtime also compiles, so only the bytecodes that
    its interpreter executed are counted. `probe_ns` is the cost that the probe adds to an execution
    in a loop of a few bytecodes (in the mode `latency`, between its fences), and `copied_ns` is
    this cost if the probe executes a copy of the bytecode's code; None if no bytecode is copied.
    The probe's cost is subtracted. `cycle_ns` is the duration of a cycle of the processor.
    Bytecodes are sorted by share of CPU time or, without shares, by number of executions. `folded`
    are the call paths of the samples in the format of FlameGraph's stackcollapse programs: names
    from the outermost caller to the line and the bytecode, separated by semicolons, then a blank
    and the number of samples. `no_times` says why no bytecode has `ns_each`, although there are
    samples; it is empty if the times are known. `no_call_paths` says that callers are missing from
    `frames` and `folded`; it is empty if the probe recorded them. `no_lines` says why the source
    lines are unknown, as far as the probe says so. `functions` also has functions whose lines are
    unknown, because the runtime compiled them; the hottest comes first."""

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
    copied_ns: Estimate | None = None
    cycle_ns: Estimate | None = None
    bytecodes: list[BytecodeCost]
    lines: list[LineShare] = []
    functions: list[FunctionShare] = []
    frames: list[FrameShare] = []
    folded: list[str] = []
    no_times: str = ""
    no_call_paths: str = ""
    no_lines: str = ""
    pairs: list[CountedPair] = []


class ProbeResult(Record):
    """The result of `./runfair probe`. All times were measured while the program ran under the
    probe, which slows it down. `pid`: the process ran already, and was probed for a time; its
    command is `command`. `unfinished` is the number of processes that were probed and left no
    results, because SIGKILL ended them, or because they replaced themselves by `exec`. `modes` are
    the modes of the executions, one after the other. The first one gives the counts and the
    shares. `interrupted`: the user ended the probing, so the result has only what was probed until
    then."""

    schema_version: Literal[1] = 1
    command: list[str]
    pid: int | None = None
    mode: AskedMode
    modes: list[Mode]
    exit_status: int
    tables: list[ProbeTable]
    refused: list[ProcessSummary] = []
    unfinished: Count = 0
    interrupted: bool = False


class SlowRequestLines(Record):
    """The lines of source that used CPU time during the slowest requests of a load under the probe.
    `requests` is the number of these requests, and each took at least `from_ns`. `samples` is the
    number of samples taken during them. `frames` are the boxes of the flame graph of these samples:
    the call paths that led to the lines."""

    requests: int
    from_ns: int
    samples: int
    lines: list[LineShare]
    frames: list[FrameShare] = []


class ProbedResult(Record):
    """The bytecodes of the executions of a cell under the probe. The times of these executions are
    not used for any figure of the cell. If they did other work than the timed executions, the
    result is void and has no tables. `instructions` are those of a native program, and `checks` has
    the cost of V8's checks. If the result comes from several executions, `execution` is the first
    of them. `unfinished` is the number of processes that were probed and left no results."""

    execution: str
    verdict: VerdictState
    reason: str = ""
    tables: list[ProbeTable] = []
    instructions: IterationInstructions | None = None
    checks: ChecksResult | None = None
    refused: list[ProcessSummary] = []
    unfinished: int = 0
    slow: SlowRequestLines | None = None


class BrokenProbeFile(BrokenFile):
    """A file of a probed execution that this version cannot read."""


class ProbedExecution(Record):
    """The files that the processes of one execution wrote. A native program has no bytecodes, but
    `instructions`. An execution in which V8's checks were removed has only their cost, `checks`.
    `sources` has the text of the source files with the most samples, by the path that the samples
    name. `unfinished` is the number of processes that were probed and left no file."""

    schema_version: Literal[1] = 1
    processes: list[ProbedProcess]
    instructions: InstructionCounts | None = None
    checks: ChecksResult | None = None
    sources: dict[str, str] = {}
    unfinished: int = 0


def write_probed(path: Path, probed: ProbedExecution) -> None:
    path.parent.mkdir(exist_ok=True)
    write_whole(path, probed.model_dump_json() + "\n")


def read_probed(path: Path) -> ProbedExecution | None:
    """The stored probed execution; None if there is no file."""
    if not path.exists():
        return None
    return read_record(path, ProbedExecution, BrokenProbeFile, "probed execution")
