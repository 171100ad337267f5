"""The engine that carries out a plan, or the rest of an interrupted plan. The engine carries out
every execution in order, ends steady executions by the stopping rule while their output arrives,
and records each execution as soon as it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from runfair.building.checksum import fingerprint, sha256_of
from runfair.errors import UserMistake
from runfair.experiment.readings import Readings
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.place import Location
from runfair.formats.plan import Cell, CellKind, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.transcript import StopRule, Transcript
from runfair.machine.launching import LauncherLost
from runfair.statistics.steady_state import detect
from runfair.statistics.stopping import Enough, enough, floor_ns, next_look_ns

PILOTS_NEEDED = 2


@dataclass
class PilotFloors:
    """The floors that pilots set: for each cell, the time before which no execution may stop."""

    _starts_ns: dict[str, list[int | None]] = field(default_factory=dict)

    def learn(self, execution: Execution, wall_ns: Sequence[int], _cpu_ns: Sequence[int]) -> None:
        """Take an execution into account. Only completed pilots change a floor."""
        if execution.role != "pilot" or execution.outcome.state != "completed":
            return
        start = detect(wall_ns).start
        reached_ns = None if start is None else int(np.sum(wall_ns[:start], dtype=np.int64))
        self._starts_ns.setdefault(execution.cell, []).append(reached_ns)

    def floor_ns(self, cell: str) -> int | None:
        """The floor of a cell. None (never stop early) if there are no two pilots, or if one of
        them did not become steady."""
        starts = self._starts_ns.get(cell, [])
        return floor_ns(starts) if len(starts) >= PILOTS_NEEDED else None


@dataclass
class SteadyRule:
    """The stopping rule for one execution. The rule is evaluated less and less often, so that it
    costs little."""

    floor_ns: int | None
    tolerance: float
    _next_look_ns: int = field(default_factory=lambda: next_look_ns(0))

    def due(self, elapsed_ns: int) -> bool:
        return self.floor_ns is not None and elapsed_ns >= max(self._next_look_ns, self.floor_ns)

    def __call__(self, transcript: Transcript, elapsed_ns: int) -> str | None:
        if not self.due(elapsed_ns):
            return None
        self._next_look_ns = next_look_ns(elapsed_ns)
        if not transcript.iterations:
            return None
        first_ns, last_ns = transcript.started_ns[0], transcript.started_ns[-1]
        seen = enough(
            np.asarray(transcript.wall_ns, dtype=np.int64),
            elapsed_ns=last_ns - first_ns + transcript.wall_ns[-1],
            floor_ns=self.floor_ns,
            tolerance=self.tolerance,
        )
        if isinstance(seen, Enough):
            return (
                f"the execution was long enough: it was steady from iteration {seen.start} "
                "on, and the median of its steady iterations is known to "
                f"±{seen.half_width:.2%}"
            )
        return None


class Executor(Protocol):
    """Carries out the executions of one kind of cell."""

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, stop_rule: StopRule | None
    ) -> Execution:
        """Carry out an execution. A failure is an outcome, not an exception; measurements from
        before the failure are kept."""


class Watcher(Protocol):
    """An observer of a run's progress, which may draw it."""

    def begins(self, cell: Cell) -> None: ...

    def ended(self, execution: Execution, cell: Cell) -> None: ...


@dataclass
class Engine:
    """A run that is carried out on `host`. The caller holds the machine's measurement lock.
    `readings` of the reference loop are taken between the executions. `next_repeat` returns the
    next block to repeat; it is empty if no block is to be repeated."""

    executors: Mapping[CellKind, Executor]
    host: Host
    plan: Plan
    folder: RunFolder
    tolerance: float
    watcher: Watcher
    readings: Readings | None = None
    next_repeat: Callable[[], Sequence[PlannedExecution]] = tuple
    _floors: PilotFloors = field(default_factory=PilotFloors)

    def carry_out(self) -> None:
        """Carry out every execution of the plan that is not recorded yet, and then repeat disturbed
        blocks."""
        self.folder.drop_torn_lines()
        attempts = self.folder.attempts()
        cells = {cell.id: cell for cell in self.plan.cells}
        too_long: set[str] = set()
        for execution in attempts:
            self._floors.learn(execution, *self.folder.iterations(execution.id))
            if execution.shows_too_long:
                too_long.add(execution.cell)
        for planned in remaining(self.plan, attempts):
            self._carry_out(planned, cells[planned.cell], too_long)
        while block := self.next_repeat():
            for planned in block:
                self._carry_out(planned, cells[planned.cell], too_long)

    def _carry_out(self, planned: PlannedExecution, cell: Cell, too_long: set[str]) -> None:
        """Carry out and record an execution. If the execution took too long, its cell is added to
        `too_long`."""
        require_present(cell)
        require_artefact(cell)
        self.watcher.begins(cell)
        began_ns = time.monotonic_ns()
        if cell.limit_seconds is not None and cell.id in too_long:
            attempt = self.folder.next_attempt(planned.id)
            execution = self._failed(planned, cell, attempt, cell.too_long)
        else:
            execution = self._execute(planned, cell)
        self.folder.append(execution)
        if execution.shows_too_long:
            too_long.add(cell.id)
        if planned.role == "pilot":
            self._floors.learn(execution, *self.folder.iterations(execution.id))
        self.watcher.ended(execution, cell)
        if self.readings is not None:
            self.readings.after(execution, time.monotonic_ns() - began_ns)

    def _execute(self, planned: PlannedExecution, cell: Cell) -> Execution:
        attempt = self.folder.next_attempt(planned.id)
        if cell.broken_input:
            return self._failed(planned, cell, attempt, cell.broken_input)
        rule = None
        if cell.mode == "steady" and planned.role == "block":
            rule = SteadyRule(self._floors.floor_ns(cell.id), self.tolerance)
        try:
            return self.executors[cell.kind].execute(planned, cell, attempt, rule)
        except LauncherLost as lost:
            return self._failed(planned, cell, attempt, str(lost))

    def _failed(
        self, planned: PlannedExecution, cell: Cell, attempt: int, reason: str
    ) -> Execution:
        """The record of an execution of which nothing is known but the reason why it failed: it was
        not started, or its launcher was lost."""
        self.folder.make_raw_folder(execution_id(planned, attempt))
        outcome = LaunchOutcome(state="not_started", error=reason)
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=Location(name=cell.factors.place),
            command=[],
            processors=[],
            start=None,
            iterations=0,
            digest=None,
            launch=LaunchReport.placeholder(outcome, []),
            outcome=Outcome.of(reason),
        )


def remaining(plan: Plan, done: Sequence[Execution]) -> list[PlannedExecution]:
    """The executions that are still to be carried out. An unfinished block is repeated as a whole.

    A block has the executions of one comparison group in one round of the order, because
    comparisons are paired on blocks.
    """
    groups = {cell.id: cell.group for cell in plan.cells}
    recorded = {execution.planned for execution in done}
    blocks: dict[tuple[object, ...], list[PlannedExecution]] = {}
    for planned in plan.executions:
        block = (planned.role, planned.block, groups[planned.cell])
        key = block if planned.role == "block" else (planned.id,)
        blocks.setdefault(key, []).append(planned)
    return [
        planned
        for members in blocks.values()
        if not all(member.id in recorded for member in members)
        for planned in members
    ]


def require_present(cell: Cell) -> None:
    """Raise UserMistake if the cell is not run on this machine. A plan of runfair has no execution
    of such a cell."""
    if cell.absent:
        raise UserMistake(
            f"the plan of this run was changed: it contains executions of {cell.variant}, which "
            f"cannot run here ({cell.absent}); begin a new run"
        )


def require_artefact(cell: Cell) -> None:
    """Raise UserMistake if a program, runtime or input vanished or changed since the plan was
    made."""
    require_traffic(cell)
    artefact = cell.artefact
    if not artefact.command:
        return  # an external service, which the lab did not build
    needed = [Path(artefact.command[0]), *map(Path, cell.inputs), *map(Path, artefact.files)]
    for path in needed:
        if path.is_absolute() and not path.exists():
            raise UserMistake(
                f"{path}, which {cell.variant} needs, has disappeared since the run was planned; "
                "put the file back and use ./runfair resume, or begin a new run"
            )
    if artefact.fingerprint and fingerprint(artefact, cell.inputs) != artefact.fingerprint:
        raise UserMistake(
            f"the program of {cell.variant}, its input or {artefact.command[0]} has changed since "
            "the run was planned; begin a new run"
        )


def require_traffic(cell: Cell) -> None:
    """Raise UserMistake if a service's traffic or its feed changed since the plan was made: a run
    never mixes two versions of a file."""
    files = []
    if cell.service is not None:
        point = cell.service.point
        files = [(point.traffic, point.traffic_sha256), (point.feed, point.feed_sha256)]
    elif cell.peak is not None:
        files = [(cell.peak.traffic, cell.peak.traffic_sha256)]
    for name, sha256 in files:
        if name and not Path(name).is_file():
            raise UserMistake(
                f"{name} has disappeared since the run was planned; put the file back and use "
                "./runfair resume, or begin a new run"
            )
        if name and sha256_of(Path(name)) != sha256:
            raise UserMistake(f"{name} has changed since the run was planned; begin a new run")
