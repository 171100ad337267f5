"""`run … --json`: every cell with its figures, each with value, interval and verdict."""

from __future__ import annotations

from typing import Literal

from runfair.formats.finding import FigureName, Finding, VerdictState
from runfair.formats.plan import Factors, Mode, ProfileName
from runfair.formats.record import Record

Interval = tuple[float, float]


class Relative(Record):
    """A ratio to the baseline's figure; `p` is Holm-adjusted over the table it stands in."""

    baseline: str
    value: float
    interval: Interval | None
    p: float | None = None
    within_noise_floor: bool = False


class Figure(Record):
    """`value` is None where the figure is void or was not measured: a void figure is no number."""

    unit: Literal["ns", "bytes"]
    value: float | None
    interval: Interval | None
    verdict: VerdictState
    findings: list[Finding] = []
    relative: Relative | None = None


class CellResult(Record):
    id: str
    benchmark: str
    workload: str
    size: str
    tier: str
    mode: Mode
    threads: int
    seed: int = 1
    variant: str
    language: str
    factors: Factors
    executions: int
    failed: int
    steady_state: str | None
    figures: dict[FigureName, Figure]
    unsupported: str = ""


class GeometricMean(Record):
    """Of the ratios of one variant to the run's baseline, over the workloads (benchmark, workload
    and seed) that everybody has who was measured under the same mode, size, tier, threads and
    factors; at least two benchmarks."""

    variant: str
    mode: Mode
    size: str
    tier: str
    threads: int
    factors: Factors
    figure: FigureName
    baseline: str
    benchmarks: int
    workloads: int
    value: float
    interval: Interval | None
    verdict: VerdictState


class RunResult(Record):
    schema_version: Literal[1] = 1
    run: str
    experiment: str
    profile: ProfileName
    baseline: str
    complete: bool
    cells: list[CellResult]
    geometric_means: list[GeometricMean]
    findings: list[Finding]
