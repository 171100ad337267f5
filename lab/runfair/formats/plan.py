"""The plan: an experiment resolved into cells and executions (`experiment.json`)."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.distribution import Distribution
from runfair.formats.peak import Classification, Peak, Score
from runfair.formats.place import LOCAL, DeclaredPlace, User
from runfair.formats.record import FileName, Record, Row, Scalar, row
from runfair.formats.service import Hosting, ServicePoint
from runfair.formats.variant import Artefact, Variant

Mode = Literal["cold", "steady", "service"]
PageCacheState = Literal["warm", "cold", "empty"]
ProfileName = Literal["smoke", "quick", "full", "publish"]
Role = Literal["pilot", "block", "lines", "probe"]
WATCHED: frozenset[Role] = frozenset({"lines", "probe"})  # executions that a tool slows down
Probing = bool | Literal["all"]  # whether to probe a cell, in the mode `profile` or in all modes
CellKind = Literal["program", "driven", "peak", "service"]
DriveProtocol = Literal["http", "resp"]


class Drive(Record):
    """A pass over a server, in a closed loop: every connection sends its next request when its
    previous answer is complete. A pass is an iteration; its time ends when all requests are
    answered.

    `http`: the connections send the requests of the `traffic` file in turn, `requests` in total;
    every body is compared with its digest. `resp`: they send as many SETs of random `keys`, then as
    many GETs; every value is compared.
    """

    protocol: DriveProtocol
    connections: Annotated[int, Field(ge=1)]
    requests: Annotated[int, Field(ge=1)]
    keys: Annotated[int, Field(ge=1)] = 1
    value_bytes: Annotated[int, Field(ge=0)] = 64
    traffic: str = ""


class DrivenLoad(Record):
    """The record of one load of a pass. `generator_share` is the share of its time (0 to 1) in
    which the generator's busiest thread was running. If `generator_share` is near 1, the generator
    set the pace, not the server. `generator_waited` is the greatest share in which a thread of the
    generator waited for a processor. It is None if the kernel does not report it, and in old
    records. `misses` counts the GETs of keys that were never set."""

    iteration: int
    name: str
    elapsed_ns: int
    requests: int
    misses: int
    generator_share: float
    generator_waited: float | None = None
    place: FileName = LOCAL

    @property
    def generator_ns(self) -> int:
        """The CPU time of the generator's single thread."""
        return round(self.generator_share * self.elapsed_ns)


@row
class Factors(Row):
    """The declared factors of a cell. `hosts` is the number of hosts on which a service runs.
    `instances` is the number of its instances on each host, and `processors` is the number of
    processors that they share there. Heap, CPU quota and memory limit apply to each instance.
    `page_cache`: `warm` leaves it as it is, `cold` drops the pages of the inputs, `empty` drops the
    pages of all files, the runtime's own included. `place` names where the program runs."""

    processors: Annotated[int, Field(ge=1)] = 1
    instances: Annotated[int, Field(ge=1)] = 1
    hosts: Annotated[int, Field(ge=1)] = 1
    heap_bytes: int | None = None
    cpu_quota: float | None = None
    memory_limit_bytes: int | None = None
    page_cache: PageCacheState = "warm"
    place: FileName = LOCAL


def absence(unsupported: str, failed_to_build: str) -> str:
    """The reason why a cell is not run, as text: it is unsupported on this machine, or its build
    failed for a reason that can be repaired."""
    if failed_to_build:
        return f"failed to build: {failed_to_build}"
    return f"unsupported: {unsupported}" if unsupported else ""


@row
class Cell(Row):
    """A cell: one row of a table. `own` names the parts that the user supplied in place of the
    benchmark's own: an input, parameters. `declared_absent`: the cell is unsupported because its
    program is declared to lack the workload. `broken_input` says why the cell's input is unusable.
    The cell's executions then fail without being started. `limit_seconds`: if an execution takes
    longer, it is ended, and the cell gets no further execution. `max_seconds` is the length of a
    steady execution if it differs from the profile's. `lines`: in a separate execution, the program
    reports how often each line of its source ran. `probe`: in other separate executions, the
    program's bytecodes are counted and timed. `checks` has the functions whose cost without V8's
    checks is measured in a separate execution. `most_threads` is the number of threads that the
    program uses at most, as the benchmark declares; it may be less than `threads`. `starts_tasks`:
    the program starts tasks of its own, which wait for each other; `threads` limits its processors
    only. `user`: the program runs as another user than the lab. `peak` is the closed loop on a
    service. `classification` is the class of its framework, if it has one."""

    id: str
    suite: str
    benchmark: str
    workload: str
    size: str
    tier: str
    mode: Mode
    threads: int
    variant: str
    language: str
    factors: Factors
    parameters: dict[str, Scalar] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    own: str = ""
    form: str = ""
    seed: int = 1
    digest: str | None = None
    operations: dict[str, int] | None = None
    artefact: Artefact
    unsupported: str = ""
    failed_to_build: str = ""
    declared_absent: bool = False
    broken_input: str = ""
    service: ServicePoint | None = None
    drive: Drive | None = None
    peak: Peak | None = None
    classification: Classification | None = None
    lines: bool = False
    probe: Probing = False
    checks: list[str] = field(default_factory=list)
    limit_seconds: float | None = None
    max_seconds: float | None = None
    distributions: dict[FileName, Distribution] = field(default_factory=dict)
    most_threads: int | None = None
    starts_tasks: bool = False
    user: User | None = None

    @property
    def absent(self) -> str:
        """The reason why the cell is not run on this machine; empty if it is run."""
        return absence(self.unsupported, self.failed_to_build)

    @property
    def has_tasks(self) -> bool:
        """Whether the program has several threads or starts tasks of its own."""
        return self.threads > 1 or self.starts_tasks

    @property
    def kind(self) -> CellKind:
        """The kind of the cell's executions: a program that ends by itself, a server that is driven
        pass by pass, a service at its peak, or a service under an open-loop load."""
        if self.mode == "service":
            return "service"
        if self.peak is not None:
            return "peak"
        return "program" if self.drive is None else "driven"

    @property
    def hosting(self) -> Hosting:
        """How the cell's server is run."""
        if self.peak is not None:
            return self.peak.hosting
        return self.service or Hosting(kind="program")

    @property
    def too_long(self) -> str:
        """The reason of failure if an execution takes longer than the plan allows."""
        return (
            f"an execution of this size took longer than {self.limit_seconds:g} s, so this "
            "size is not measured"
        )

    @property
    def program(self) -> str:
        """The benchmark's name in its programs, which all forms of a benchmark share."""
        return self.benchmark.removesuffix(f"-{self.form}") if self.form else self.benchmark

    @property
    def group(self) -> tuple[object, ...]:
        """The key of the comparison group: all fields of the cell except variant, language and
        tier."""
        return (
            self.benchmark,
            self.workload,
            self.own,
            self.seed,
            self.size,
            self.mode,
            self.threads,
            self.factors,
            None if self.service is None else self.service.asked,
            self.drive,
            None if self.peak is None else self.peak.asked,
            # Frameworks are compared only within their class.
            None if self.peak is None else self.classification,
        )


@row
class PlannedExecution(Row):
    """A planned execution: its place in the order of the run. Three kinds of executions are never
    averaged: a `pilot`, an execution that reports `lines`, and an execution under the `probe`. The
    times of the last two are not used. `repeat` counts the earlier attempts at the execution's
    block that were repeated because of a disturbance; it is 0 in a plan."""

    id: FileName
    cell: str
    role: Role
    block: int
    position: int
    repeat: int = 0


class Effort(Record):
    """The effort of a profile: how much is measured, and how long an execution may take.

    A service is under load for `load_seconds` at its operating point, and for `probe_seconds` at
    each other rate.
    """

    executions: int
    max_seconds: float
    timeout_seconds: float
    pilots: int = 0
    pilot_seconds: float = 0.0
    service_executions: int = 6
    load_seconds: float = 20.0
    probe_seconds: float = 5.0

    def asked_s(self, cell: Cell, planned: PlannedExecution) -> float:
        """The time for which an execution is asked to make iterations, in seconds. It is 0 in the
        mode `cold`, which makes one iteration."""
        if cell.mode == "cold":
            return 0.0
        if planned.role == "pilot":
            return self.pilot_seconds
        return self.max_seconds if cell.max_seconds is None else cell.max_seconds

    def limit_s(self, cell: Cell, planned: PlannedExecution) -> float:
        """The time limit of an execution, in seconds. The limit of a cell begins after the time for
        which the execution is asked to make iterations."""
        if cell.limit_seconds is not None:
            return self.asked_s(cell, planned) + cell.limit_seconds
        return self.timeout_seconds + (self.pilot_seconds if planned.role == "pilot" else 0)


class GreaterProfile(Record):
    """The next longer profile, with the experiment's settings applied."""

    name: ProfileName
    effort: Effort


class Plan(Record):
    """The plan of a run, with everything needed to repeat it. `runfair` is the version that made
    it, with the commit if its sources are a clone; older plans have no commit. `source` names the
    experiment for `./runfair run`: the name of one of runfair's experiments, or the absolute path
    of a file; plans of older versions have none. `scores` has the composite scores of each
    benchmark whose peaks are measured. `crossovers` has those that each benchmark declares, by
    parameter; plans of older versions have none."""

    schema_version: Literal[1] = 1
    runfair: str
    experiment: str
    source: str = ""
    about: str
    profile: ProfileName
    created_realtime_ns: int
    order_seed: int
    baseline: str
    effort: Effort
    greater: GreaterProfile | None = None
    measured_processors: list[int]
    lab_processors: list[int]
    variants: list[Variant]
    cells: list[Cell]
    executions: list[PlannedExecution]
    limitations: list[str] = []
    places: dict[FileName, DeclaredPlace] = {}
    scores: dict[FileName, list[Score]] = {}
    crossovers: dict[FileName, dict[str, DeclaredCrossover]] = {}

    # The cells of the whole run, if the plan is a part of it.
    _of_run: tuple[Cell, ...] = PrivateAttr(())

    def distinction(self, cell: Cell) -> list[str]:
        """The texts that distinguish a service's operating point from other operating points of the
        run that have the same workload, rate, protocol and objective."""
        cells = self._of_run or self.cells
        told = {one.group: _settings(one) for one in cells if _alike(one, cell)}
        return [
            text for text in _settings(cell) if not all(text in texts for texts in told.values())
        ]

    def of_group(self, cell: Cell) -> Plan:
        """The part of the plan for the comparison group of this cell. It has no scores and no
        crossovers, because they combine several groups."""
        cells = [one for one in self.cells if one.group == cell.group]
        names = {one.id for one in cells}
        executions = [one for one in self.executions if one.cell in names]
        update = {"cells": cells, "executions": executions, "scores": {}, "crossovers": {}}
        part = self.model_copy(update=update)
        part._of_run = self._of_run or tuple(self.cells)
        return part


def _alike(one: Cell, other: Cell) -> bool:
    return None not in (one.service, other.service) and _named(one) == _named(other)


def _named(cell: Cell) -> tuple[object, ...]:
    """The properties of a service's operating point that are named wherever it is shown."""
    assert cell.service is not None
    point = cell.service.point
    asked = (point.rate_per_s, point.protocol, point.objective)
    return (cell.benchmark, cell.workload, cell.size, cell.threads, cell.factors, *asked)


def _settings(cell: Cell) -> list[str]:
    return [] if cell.service is None else [*cell.service.settings, f"seed {cell.seed}"]
