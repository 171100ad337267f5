"""`history … --json`: each figure over all stored runs, and where its level changed."""

from __future__ import annotations

from typing import Literal

from runfair.formats.distribution import Better, Unit
from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.plan import Mode, ProfileName
from runfair.formats.record import Record
from runfair.formats.result import Bounds, Interval


class HistoryMachine(Record):
    """Runs of two machines never share a series."""

    name: str
    processor_model: str
    processors: int


class HistoryPoint(Record):
    """One run. A figure that has but `bounds` there takes no part in levels. `value` is None if
    the figure was void or not measured there. `commit` is what the run's file `commit` says."""

    run: str
    created_realtime_ns: int
    profile: ProfileName
    commit: str
    value: float | None
    interval: Interval | None
    bounds: Bounds | None = None
    verdict: VerdictState
    runtime_version: str
    artefact_sha256: str


class LevelChange(Record):
    """Between two neighbouring runs that have a value: `value` is the level from `first` on, over
    the level up to `last_before`, with the 95% interval over runs. `differences` are a line each,
    of what else is different between these two runs."""

    last_before: str
    first: str
    value: float
    interval: Interval | None
    worse: bool
    commits: tuple[str, str]
    differences: list[str]


class HistorySeries(Record):
    """One figure of one cell on one machine, in the order of the runs. `work` is a hash of what
    was asked: figures of another work are another series."""

    machine: HistoryMachine
    cell: str
    benchmark: str
    workload: str
    size: str
    tier: str
    mode: Mode
    threads: int
    variant: str
    work: str
    figure: FigureName
    unit: Unit
    better: Better = "lower"
    points: list[HistoryPoint]
    changes: list[LevelChange]


class History(Record):
    """`passed_over` are a line each, of runs that are in the folder and in no series."""

    schema_version: Literal[1] = 1
    threshold: float
    series: list[HistorySeries]
    passed_over: list[str]
