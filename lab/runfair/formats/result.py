"""`run … --json`: every cell with its figures, each with value, interval and verdict."""

from __future__ import annotations

from typing import Literal

from runfair.formats.distribution import Better, Unit
from runfair.formats.finding import FigureName, Finding, VerdictState
from runfair.formats.host import ReferenceKind
from runfair.formats.plan import Drive, Factors, Mode, ProfileName, absence
from runfair.formats.probe import LineShare, ProbeTable, ProcessSummary
from runfair.formats.record import Record, Scalar
from runfair.formats.service import Objective

Interval = tuple[float, float]
Bounds = tuple[float | None, float | None]
Meets = Literal["yes", "no", "unclear"]


class Relative(Record):
    """A ratio to the baseline's figure; `p` is Holm-adjusted over the table it stands in. `bounds`:
    between what the ratio lies where either figure is bounded, least by greatest and greatest by
    least."""

    baseline: str
    value: float
    interval: Interval | None
    bounds: Bounds | None = None
    p: float | None = None
    within_noise_floor: bool = False


class Estimate(Record):
    """A value over executions with its interval."""

    value: float
    interval: Interval | None


class Figure(Record):
    """`value` is None if the figure is void or was not measured: a void figure is no number.
    `bounds`: the true value lies between them; None on a side that nothing bounds. The field is
    None if no doubt has a size. `better` is the direction of an improvement. `without_repeats`:
    the figure of the executions as planned, where repeats of disturbed blocks count in `value`."""

    unit: Unit
    better: Better = "lower"
    value: float | None
    interval: Interval | None
    bounds: Bounds | None = None
    verdict: VerdictState
    findings: list[Finding] = []
    relative: Relative | None = None
    without_repeats: Estimate | None = None


class CurvePoint(Record):
    """Latency at one rate: the medians of the executions; None if no execution could tell."""

    rate_per_s: float
    p50_ns: float | None
    p99_ns: float | None
    objective_ns: float | None
    meets: Meets | None
    executions: int
    verdict: VerdictState


class Knee(Record):
    """The rate beyond which latency grows faster than throughput, of the `rates` that were
    measured; None if they do not enclose it, and `reason` says why. From
    `saturated_from_per_s` on the service did not keep up; None if it always did."""

    rate_per_s: float | None
    saturated_from_per_s: float | None
    rates: int
    reason: str
    verdict: VerdictState


class CapacityResult(Record):
    """The highest rate that meets the objective lies between these two; None: beyond what was
    asked. What all executions agree on, each of which searched by itself; `confidence` is the least
    of theirs, and holds under what it `assumes`."""

    verdict: VerdictState

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    assumes: str = ""
    observations: int
    executions: int


class WarmUpLevel(Record):
    """A stretch of a load on one level, as the steady-state detector saw it: its beginning, counted
    from the load's, and the median of its windows' medians."""

    from_ns: int
    p50_ns: float


class WarmUp(Record):
    """One execution's time from the process's start to the first good answer, and to steady state;
    None if it never came so far, or where the figure is void. `levels` are in their order. The
    start is read from the lab's clock, the load from the generator's, which may be apart by
    `clock_uncertainty_ns`."""

    execution: str
    classification: str
    first_answer_ns: int | None
    steady_ns: int | None
    levels: list[WarmUpLevel] = []
    clock_uncertainty_ns: int = 0
    verdict: VerdictState


class RuntimeEvents(Record):
    """What the runtime did in the steady parts of all executions whose runtime told. `tail_share`
    of the requests above p99 overlapped a pause, `chance_share` of all requests: void where p99
    is, and all else where the CPU time is. A void figure is None. A collection was under way for
    `collecting_share` of the time, beside the program or in its place. What was allocated on the
    heap may be off by the share `allocation_rounding`; where it is None without being void,
    `allocation_untold` says why. Where the clocks of runtime and load generator may be apart by
    `clock_uncertainty_ns`, `tail_share` may be anything in `tail_share_range`."""

    executions: int
    collections: int
    pauses_per_s: float | None
    paused_share: float | None
    longest_pause_ns: int | None
    tail_share: float | None
    tail_share_range: tuple[float, float] | None = None
    chance_share: float | None
    late_compilations: int
    collections_per_s: float | None
    collecting_share: float | None
    allocated_bytes_per_s: float | None
    allocated_bytes_per_request: float | None
    allocation_rounding: float | None
    allocation_untold: str
    clock_uncertainty_ns: int = 0
    verdict: VerdictState


class RequestCost(Record):
    """What a request costs on the average, the middle execution's, of the steady part. None if
    nobody could account for it, cycles and instructions where no processor counts, and without the
    kernel's where they are `user_only`. `database_ns` is the time in queries, the round trip
    included. The verdict is that of the CPU time of a request, beside which it stands."""

    verdict: VerdictState
    system_share: float | None
    run_queue_ns: float | None
    switches: float | None
    database_ns: float | None
    database_cpu_ns: float | None
    sent_bytes: float | None
    received_bytes: float | None
    cycles: float | None = None
    instructions: float | None = None
    user_only: bool = False


class RelayResult(Record):
    """What stood between a service and its database, the middle execution's: the declared round
    trip, how many queries a request makes, and what the relay itself cost: what it added to a query
    beyond the round trip, and its CPU time. None if there were too few queries, or none whose
    relaying is known. The verdict is that of the median latency."""

    verdict: VerdictState
    round_trip_ns: int
    queries_per_request: float
    added_p50_ns: float | None
    added_p99_ns: float | None
    cpu_per_query_ns: float | None


class RequestSystemCalls(Record):
    """System calls a request by kind, the middle execution's, counted under a load of their own;
    the verdict is that of the CPU time of a request."""

    verdict: VerdictState
    read: float
    write: float
    wait: float
    lock: float
    other: float


class ServiceResult(Record):
    """What a service was asked and whether it met it. `requests` and `failed` are of its operating
    point, in all executions together."""

    service: str
    instances: int = 1
    rate_per_s: float
    objective: Objective | None
    meets: Meets | None
    requests: int
    failed: int
    curve: list[CurvePoint] = []
    knee: Knee | None = None
    capacity: CapacityResult | None = None
    warm_up: list[WarmUp] = []
    events: RuntimeEvents | None = None
    cost: RequestCost | None = None
    relay: RelayResult | None = None
    system_calls: RequestSystemCalls | None = None


class LineFigure(Record):
    """The mean of the executions that told, and their range."""

    value: float
    least: float
    greatest: float


class LineSeries(Record):
    """Figures for lines of one source file, by line, from 1. Where they are void there is none, and
    `reason` says why. The text is in the run's `lines` folder, known by its SHA-256."""

    path: str
    name: str
    unit: str
    source_sha256: str
    executions: int
    verdict: VerdictState
    reason: str = ""
    lines: dict[int, LineFigure]


class SlowRequestLines(Record):
    """Where the CPU time went while the slowest requests of a load under the probe were being
    answered: `requests` of them, each of at least `from_ns`, and the `samples` of that time."""

    requests: int
    from_ns: int
    samples: int
    lines: list[LineShare]


class ProbedResult(Record):
    """What one execution under the bytecode probe left. Its times are none of the cell's figures.
    Void, and then without tables, if it did other work than the timed executions."""

    execution: str
    verdict: VerdictState
    reason: str = ""
    tables: list[ProbeTable] = []
    refused: list[ProcessSummary] = []
    slow: SlowRequestLines | None = None


class ProcessCycles(Record):
    """Cycles and instructions of a whole process, the middle execution's; without the kernel's
    where they are `user_only`. The verdict is that of the CPU time."""

    verdict: VerdictState
    cycles: float
    instructions: float
    user_only: bool


class CellResult(Record):
    """`parameters` are those that the program was given; `lines_untold`: why figures for lines of
    source were asked and are not there; `unprobed`: why its bytecodes were to be probed and are
    not."""

    id: str
    benchmark: str
    workload: str
    size: str
    tier: str
    mode: Mode
    threads: int
    own: str = ""
    seed: int = 1
    variant: str
    language: str
    factors: Factors
    executions: int
    failed: int
    steady_state: str | None
    figures: dict[FigureName, Figure]
    unsupported: str = ""
    failed_to_build: str = ""
    service: ServiceResult | None = None
    drive: Drive | None = None
    parameters: dict[str, Scalar] = {}
    lines: list[LineSeries] = []
    lines_untold: str = ""
    probed: list[ProbedResult] = []
    unprobed: str = ""
    processor: ProcessCycles | None = None

    @property
    def absent(self) -> str:
        """Why it was not run here; empty if it was."""
        return absence(self.unsupported, self.failed_to_build)


class GeometricMean(Record):
    """The mean of one variant's ratios to the run's baseline, over the workloads (benchmark,
    workload and seed) that everybody has who was measured under the same mode, size, tier, threads
    and factors; at least two benchmarks. `driven`: of passes over servers, which are no
    processes."""

    variant: str
    mode: Mode
    size: str
    tier: str
    threads: int
    factors: Factors
    figure: FigureName
    baseline: str
    driven: bool = False
    benchmarks: int
    workloads: int
    value: float
    interval: Interval | None
    bounds: Bounds | None = None
    verdict: VerdictState


class LevelRange(Record):
    """How fast the machine did constant work: 95% of the readings lay between `low` and `high`
    times their middle (greater is slower); `drift` is the change from the run's first to its last,
    on the processor where it was greatest."""

    readings: int
    low: float
    high: float
    drift: float


class MachineLevelResult(Record):
    """The reference loop over the run; `share` of the run is what it took."""

    share: float | None
    levels: dict[ReferenceKind, LevelRange]


class RunResult(Record):
    """`machine_level` is None if the reference loop did not run."""

    schema_version: Literal[1] = 1
    run: str
    experiment: str
    profile: ProfileName
    baseline: str
    complete: bool
    cells: list[CellResult]
    geometric_means: list[GeometricMean]
    findings: list[Finding]
    machine_level: MachineLevelResult | None = None
