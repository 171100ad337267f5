"""`history … --json`: each figure over all stored runs, and where its level changed."""

from __future__ import annotations

from typing import Literal

from runfair.formats.distribution import Better, FigureUnit
from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.plan import Mode, ProfileName
from runfair.formats.record import Record
from runfair.formats.result import Bounds, Interval


class HistoryMachine(Record):
    """The machine of a series; runs of different machines never share a series."""

    name: str
    processor_model: str
    processors: int


class HistoryPoint(Record):
    """The point of a series that comes from one run. A figure that has only `bounds` is not used to
    find levels. `value` is None if the figure was void or not measured in this run. `commit` is the
    content of the file `commit` in the run's folder."""

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
    """A change of level between two neighbouring runs with a value. `value` is the level from the
    run `first` on, divided by the level up to the run `last_before`, with the 95% interval over
    runs. `differences` has a line for each other difference between these two runs."""

    last_before: str
    first: str
    value: float
    interval: Interval | None
    worse: bool
    commits: tuple[str, str]
    differences: list[str]


class HistorySeries(Record):
    """A figure of a cell on a machine over all runs, in order. `work` is a hash of the requested
    work: figures of different work form different series."""

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
    unit: FigureUnit
    better: Better = "lower"
    points: list[HistoryPoint]
    changes: list[LevelChange]


class History(Record):
    """All series of stored runs. `passed_over` has a line for each run that is in no series."""

    schema_version: Literal[1] = 1
    threshold: float
    series: list[HistorySeries]
    passed_over: list[str]
