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
from runfair.formats.service_result import ServiceResult

Interval = tuple[float, float]
Bounds = tuple[float | None, float | None]


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
