"""`run … --json`: every cell with its figures, each with value, interval and verdict."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from runfair.formats.distribution import Better, FigureUnit
from runfair.formats.finding import FigureName, Finding, VerdictState
from runfair.formats.host import ReferenceKind
from runfair.formats.peak import Classification
from runfair.formats.peak_result import PeakResult, ScoreResult
from runfair.formats.plan import Drive, Factors, Mode, ProfileName, absence
from runfair.formats.probe import ProbedResult
from runfair.formats.record import Record, Row, Scalar, row
from runfair.formats.service import Objective, Protocol, Requirement
from runfair.formats.system_calls import RequestSystemCalls

Interval = tuple[float, float]
Bounds = tuple[float | None, float | None]
Meets = Literal["yes", "no", "unclear"]


@row
class Relative(Row):
    """A ratio to the baseline's figure. `p` is the p-value, corrected by Holm's method over all
    ratios of the table. If either figure is bounded, `bounds` are the limits of the ratio: the
    least value over the baseline's greatest, and the greatest value over the baseline's least. If
    several hosts measured the ratio, `interval` is valid for all hosts of their kind, and
    `on_these_hosts` for the measured hosts only."""

    baseline: str
    value: float
    interval: Interval | None
    on_these_hosts: Interval | None = None
    bounds: Bounds | None = None
    p: float | None = None
    within_noise_floor: bool = False


@row
class Estimate(Row):
    """A value computed over executions, with its 95% confidence interval."""

    value: float
    interval: Interval | None


@row
class Figure(Row):
    """A figure of a cell. `value` is None if the figure is void or was not measured. `bounds`
    enclose the true value; a bound is None if that side is open. The whole field is None if no
    doubt has a size. `better` is the direction of an improvement. If `value` includes repeats of
    disturbed blocks, `without_repeats` is the figure of the planned executions alone."""

    unit: FigureUnit
    better: Better = "lower"
    value: float | None
    interval: Interval | None
    bounds: Bounds | None = None
    verdict: VerdictState
    findings: list[Finding] = field(default_factory=list)
    relative: Relative | None = None
    without_repeats: Estimate | None = None


class CurvePoint(Record):
    """The latency at one rate. Each value is the median over the executions; it is None if no
    execution has a value."""

    rate_per_s: float
    p50_ns: float | None
    p99_ns: float | None
    objective_ns: float | None
    meets: Meets | None
    executions: int
    verdict: VerdictState


class Knee(Record):
    """The knee: the measured rate beyond which latency grows faster than throughput; None if the
    `rates` do not enclose it, with the `reason`. The service did not keep up with the rate
    `saturated_from_per_s` and higher rates; None if it kept up with all."""

    rate_per_s: float | None
    saturated_from_per_s: float | None
    rates: int
    reason: str
    verdict: VerdictState


class CapacityResult(Record):
    """The capacity, that is, the highest rate that meets the objective. The capacity lies between
    these two rates; a rate is None if the capacity lies beyond the searched rates. Each execution
    searched independently. All executions agree that the lower rate meets the objective and that
    the upper rate misses it. `confidence` is the smallest confidence of the executions; it holds
    under the assumptions in `assumes`."""

    verdict: VerdictState

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    assumes: str = ""
    observations: int
    executions: int


class WarmUpLevel(Record):
    """A part of a load in which the latency stayed on one level, as found by the steady-state
    detector. The record has the start, counted from the load's start, and the median of the
    windows' medians."""

    from_ns: int
    p50_ns: float


class WarmUp(Record):
    """The warm-up of an execution: the time from the process's start to the first good answer, and
    to the steady state. A time is None if the execution did not reach that point, or if the figure
    is void. `levels` are in order of time. The process's start is read from the lab's clock and the
    load's start from the generator's clock; the clocks may differ by `clock_uncertainty_ns`."""

    execution: str
    classification: str
    first_answer_ns: int | None
    steady_ns: int | None
    levels: list[WarmUpLevel] = []
    clock_uncertainty_ns: int = 0
    verdict: VerdictState


class RuntimeEvents(Record):
    """The runtime's events in the steady parts of all executions that recorded events. `tail_share`
    is the share of the requests above p99 that overlapped a pause; `chance_share` is the share of
    all requests that did. These two are void if p99 is void. All fields except the shares of
    requests are void if the CPU time is void. A void figure is None. `collecting_share` is the
    share of time during which a collection ran, whether concurrent or not. The allocation has a
    rounding error of up to the share `allocation_rounding`. If the allocation is unknown, it is
    None, and `allocation_untold` says why. The clocks of the runtime and of the load generator may
    differ by `clock_uncertainty_ns`. If the clocks may differ, `tail_share` lies in
    `tail_share_range`."""

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
    """The mean cost of a request in the steady part of a load; each value is the median over the
    executions. A value is None if it is unknown. Cycles and instructions are None if the processor
    does not count them; they exclude those of the kernel if `user_only` is set. `database_ns` is
    the time in queries, including the round trip. The verdict is the verdict of the CPU time per
    request.
    """

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
    """The relay between a service and its database: the declared round trip, the queries per
    request, the delay that the relay adds to a query beyond the round trip, and the relay's CPU
    time. Each value is the median over the executions. A value is None if there were too few
    queries, or no queries with a known delay. The verdict is the verdict of the median latency."""

    verdict: VerdictState
    round_trip_ns: int
    queries_per_request: float
    added_p50_ns: float | None
    added_p99_ns: float | None
    cpu_per_query_ns: float | None


class RequirementOutcome(Record):
    """A requirement, and whether the run shows that a service meets it. `interval` is the 95%
    interval of the required figure: a percentile in nanoseconds, or a share of requests. It is None
    if nothing is known of the figure. `reason` says why, or what else stands against the service.
    """

    requirement: Requirement
    meets: Meets
    interval: Bounds | None = None
    reason: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the service misses the requirement, or its interval reaches above the limit."""
        return self.meets == "no" or (self.meets == "unclear" and self.interval is not None)


class ServiceHostResult(Record):
    """A host of a service that runs on several: the share of the service's CPU time that its
    instances used there, and the peak of their memory, over their whole life. Each value is the
    median over the executions on this host. The verdict is the worse one of CPU time and memory."""

    host: str
    executions: int
    verdict: VerdictState
    cpu_share: float | None
    memory_bytes: float


class ServiceResult(Record):
    """The result of a service at its operating point, and whether it met its objective and what the
    experiment requires. `requests` and `failed` are counted over all executions together. `hosts`
    has each host of a service that runs on several; a void service has none."""

    service: str
    instances: int = 1
    rate_per_s: float
    protocol: Protocol = "http"
    objective: Objective | None
    meets: Meets | None
    requirements: list[RequirementOutcome] = []
    requests: int
    failed: int
    curve: list[CurvePoint] = []
    knee: Knee | None = None
    capacity: CapacityResult | None = None
    warm_up: list[WarmUp] = []
    events: RuntimeEvents | None = None
    cost: RequestCost | None = None
    relay: RelayResult | None = None
    hosts: list[ServiceHostResult] = []
    system_calls: RequestSystemCalls | None = None


class LineFigure(Record):
    """A figure for a line of source: the mean over the executions that reported it, and the range
    of their values."""

    value: float
    least: float
    greatest: float


class LineSeries(Record):
    """Figures for the lines of a source file, by line number from 1. If the figures are void, none
    are listed, and `reason` says why. The text of the file is in the run's `lines` folder,
    identified by its SHA-256."""

    path: str
    name: str
    unit: str
    source_sha256: str
    executions: int
    verdict: VerdictState
    reason: str = ""
    lines: dict[int, LineFigure]


class ProcessCycles(Record):
    """Cycles and instructions of a whole process; each value is the median over the executions.
    Cycles and instructions exclude those of the kernel if `user_only` is set. The verdict is the
    verdict of the CPU time."""

    verdict: VerdictState
    cycles: float
    instructions: float
    user_only: bool


class CellResult(Record):
    """A cell with its figures. `parameters` are the program's parameters. `line` is the family
    whose sequence of versions the runtime's version belongs to: two builders of one runtime have
    one line. `lines_untold` and `unprobed` say why requested figures for lines of source and for
    bytecodes are missing."""

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
    line: str = ""
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
    peak: PeakResult | None = None
    classification: Classification | None = None
    parameters: dict[str, Scalar] = {}
    lines: list[LineSeries] = []
    lines_untold: str = ""
    probed: list[ProbedResult] = []
    unprobed: str = ""
    processor: ProcessCycles | None = None

    @property
    def is_program(self) -> bool:
        """Whether the cell is neither a service at its operating point nor one at its peak."""
        return self.served is None

    @property
    def served(self) -> ServiceResult | PeakResult | None:
        """The result of the service; None for a program."""
        return self.service or self.peak

    @property
    def absent(self) -> str:
        """The reason why the cell was not run on this machine; empty if it was run."""
        return absence(self.unsupported, self.failed_to_build)


class GeometricMean(Record):
    """The geometric mean of a variant's ratios to the run's baseline. The mean covers the workloads
    (benchmark, workload and seed) that all variants ran under the same mode, size, tier, threads
    and factors. The workloads come from at least two benchmarks. `driven`: the ratios compare
    passes over servers, not processes."""

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
    """The range of the reference loop's readings: 95% of them lay between `low` and `high` times
    their median (greater is slower). `drift` is the change from the first to the last reading of
    the run, on the processor with the greatest change."""

    readings: int
    low: float
    high: float
    drift: float


class MachineLevelResult(Record):
    """The reference loop's readings over the run. `share` is the part of the run's time that the
    loop took."""

    share: float | None
    levels: dict[ReferenceKind, LevelRange]


class ParallelEfficiency(Record):
    """The parallel efficiency of a program on several processors: its cell there against its cell
    `alone` on one processor. Of each cell's `iterations` in the steady part, those without
    disturbance are `kept`. The ratios are None if a time is void, or if no iteration of either cell
    is kept. The verdict is the worst verdict of both cells' times."""

    cell: str
    alone: str
    processors: int
    kept: int
    iterations: int
    kept_alone: int
    iterations_alone: int
    efficiency: Estimate | None
    work_inflation: Estimate | None
    utilisation: Estimate | None
    verdict: VerdictState


class Crossover(Record):
    """The value of a parameter at which two workloads of a program take the same time. `figure` is
    this time, `cells` has the cells of both workloads, and `places` are the measured values of the
    parameter. The crossover lies within `bounds`. A bound is None if the crossover may lie beyond
    that end of the places, or if there is none. `below` and `above` are the workloads that take
    less time on each side; None if this is unknown. `several`: the workloads cross more than once,
    and all crossovers lie within `bounds`. Otherwise, if `below` and `above` are equal, the run
    shows no crossover. The verdict is the worst verdict of the figures."""

    parameter: str
    figure: FigureName
    cells: list[str]
    places: list[float]
    bounds: Bounds
    below: str | None
    above: str | None
    several: bool = False
    verdict: VerdictState


class RunResult(Record):
    """The result of a run. `machine_level` is None if the reference loop did not run."""

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
    scores: list[ScoreResult] = []
    parallel_efficiency: list[ParallelEfficiency] = []
    crossovers: list[Crossover] = []
