"""The portions of a plan that free hosts measure: the distribution of the plan's blocks over the
hosts, the folder in which a host records its portion, and how the run takes the records over.

A block is never split: its cells are compared with each other, and two machines differ by more than
most programs do. Pilots come first, because they determine the least length of later executions
(the floor of the stopping rule). A steady block waits for the pilots of its cells. If a host fails,
another host carries out its block from the beginning.

The folder of a portion is a separate run folder, below `portions/` in the folder of the run. Two
hosts never write to the same file, because a shared file system would not keep their writes in
order. A record is appended to the run only after its files were moved there, so an interrupted
take-over can be completed.
"""

from __future__ import annotations

import heapq
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.experiment.engine import remaining
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.kept_file import keeping, write_whole
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import PARTS, RunFolder

MOST_TRIES = 3


@dataclass(frozen=True, eq=False)
class Portion:
    """The executions that one host carries out in order: a block, or a single execution that
    belongs to no block. `cells` are the cells of these executions.
    """

    executions: tuple[PlannedExecution, ...]

    @property
    def cells(self) -> frozenset[str]:
        return frozenset(one.cell for one in self.executions)

    @property
    def name(self) -> str:
        return self.executions[0].id

    @property
    def is_pilot(self) -> bool:
        return self.executions[0].role == "pilot"


def portions(plan: Plan, done: Sequence[Execution]) -> list[Portion]:
    """The portions of a plan that are still to be carried out, in the order of the plan. A block
    that was begun is repeated as a whole.
    """
    groups = {cell.id: cell.group for cell in plan.cells}
    found: dict[tuple[object, ...], list[PlannedExecution]] = {}
    for planned in remaining(plan, done):
        key: tuple[object, ...] = (planned.id,)
        if planned.role == "block":
            key = (planned.block, planned.repeat, groups[planned.cell])
        found.setdefault(key, []).append(planned)
    return [Portion(tuple(members)) for members in found.values()]


@dataclass
class BlockPlanner:
    """The portions that are still to be carried out. `next_for` hands out a portion. The caller
    then calls `ended` if the host carried it out, or `lost` if the host failed.

    Portions that wait for pilots are kept apart from those that are ready, so that a call takes
    microseconds even if thousands of portions wait.
    """

    pilots: dict[str, int] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    out: dict[str, Portion] = field(default_factory=dict)
    _ready: list[tuple[int, Portion]] = field(default_factory=list)
    _blocked: dict[str, list[tuple[int, Portion]]] = field(default_factory=dict)
    _last: int = 0
    _first: int = 0

    @classmethod
    def of(cls, left: Collection[Portion]) -> BlockPlanner:
        planner = cls()
        for portion in left:
            for one in portion.executions:
                if one.role == "pilot":
                    planner.pilots[one.cell] = planner.pilots.get(one.cell, 0) + 1
        for portion in sorted(left, key=lambda one: not one.is_pilot):
            planner.add(portion)
        return planner

    def add(self, portion: Portion) -> None:
        """Puts a portion behind all others."""
        self._last += 1
        self._put(self._last, portion)

    @property
    def finished(self) -> bool:
        return not self._ready and not self._blocked and not self.out

    @property
    def ready(self) -> int:
        """The number of portions that a host can have at once."""
        return len(self._ready)

    @property
    def left(self) -> set[str]:
        """The executions that hosts can have at once, or are carrying out."""
        given = [*self.out.values(), *(portion for _, portion in self._ready)]
        return {one.id for portion in given for one in portion.executions}

    def next_for(self, host: str) -> Portion | None:
        """The next portion for a free host. None if every remaining portion is being carried out,
        or waits for pilots that are being carried out.
        """
        if host in self.out:
            raise ValueError(f"{host} still measures another part of the run")
        if not self._ready:
            return None
        _, portion = heapq.heappop(self._ready)
        self.out[host] = portion
        return portion

    def ended(self, host: str) -> Portion:
        """Notes that the host has carried out its portion."""
        portion = self.out.pop(host)
        for one in portion.executions:
            if one.role == "pilot":
                self.pilots[one.cell] -= 1
                if not self.pilots[one.cell]:
                    for place, waits in self._blocked.pop(one.cell, []):
                        self._put(place, waits)
        return portion

    def lost(self, host: str) -> int:
        """Notes that the host failed. The failed host's portion will be handed out next. Returns
        how often a host has failed with this portion.
        """
        portion = self.out.pop(host)
        self._first -= 1
        self._put(self._first, portion)
        self.tries[portion.name] = self.tries.get(portion.name, 0) + 1
        return self.tries[portion.name]

    def _put(self, place: int, portion: Portion) -> None:
        """Makes a portion ready, or lets it wait for one of the cells whose pilots are missing."""
        if not portion.is_pilot:
            for cell in portion.cells:
                if self.pilots.get(cell):
                    self._blocked.setdefault(cell, []).append((place, portion))
                    return
        heapq.heappush(self._ready, (place, portion))


@dataclass
class Recorded:
    """What the folder of a run has recorded, so that the folder need not be read again for each
    portion. `attempts` are the recorded executions by their planned execution, and `lessons` the
    records that a host must know before it measures a cell.
    """

    known: set[str] = field(default_factory=set)
    attempts: dict[str, list[str]] = field(default_factory=dict)
    lessons: dict[str, list[Execution]] = field(default_factory=dict)
    readings: set[tuple[str, int, str]] = field(default_factory=set)

    @classmethod
    def of(cls, run: RunFolder) -> Recorded:
        recorded = cls()
        for record in run.attempts():
            recorded.add(record)
        recorded.readings.update(map(_identity, run.readings()))
        return recorded

    def add(self, record: Execution) -> None:
        self.known.add(record.id)
        self.attempts.setdefault(record.planned, []).append(record.id)
        if record.role == "pilot" or record.shows_too_long:
            self.lessons.setdefault(record.cell, []).append(record)


def make_portion_folder(
    run: RunFolder, plan: Plan, portion: Portion, host: str, recorded: Recorded
) -> RunFolder:
    """A new folder for one portion on one host.

    The folder contains the existing records of the portion's cells that matter: their pilots, and
    executions that took too long.
    """
    folder = RunFolder(run.portions / f"{portion.name}-{host}")
    shutil.rmtree(folder.path, ignore_errors=True)
    wanted = portion.cells
    with keeping(run.path):
        for part in PARTS:
            (folder.path / part).mkdir(parents=True)
        cells = [cell for cell in plan.cells if cell.id in wanted]
        own = plan.model_copy(update={"cells": cells, "executions": list(portion.executions)})
        write_whole(folder.plan_file, own.model_dump_json() + "\n")
    planned = {one.id for one in portion.executions}
    for name in planned:
        for attempt in recorded.attempts.get(name, ()):
            # A repeated attempt gets a new number.
            folder.make_raw_folder(attempt)
    for cell in cells:
        for record in recorded.lessons.get(cell.id, ()):
            if record.planned not in planned:
                folder.append(record)
                iterations = run.iterations_file(record.id)
                if iterations.exists():
                    with keeping(run.path):
                        shutil.copyfile(iterations, folder.iterations_file(record.id))
    return folder


def take_over(run: RunFolder, portion: RunFolder, recorded: Recorded) -> list[Execution]:
    """Moves the records of a host into the run, and removes the host's folder. Returns the new
    records.
    """
    portion.drop_torn_lines()
    new = [record for record in portion.attempts() if record.id not in recorded.known]
    machines = run.path / "machines"
    for path in (portion.path / "machines").glob("*.json"):
        if not (machines / path.name).exists():
            path.replace(machines / path.name)
    for reading in portion.readings():
        if _identity(reading) not in recorded.readings:
            run.append_reading(reading)
            recorded.readings.add(_identity(reading))
    for record in new:
        for source, target in _files(portion, run, record.id):
            if source.exists():
                shutil.rmtree(target, ignore_errors=True)
                source.replace(target)
        run.append(record)
        recorded.add(record)
    shutil.rmtree(portion.path, ignore_errors=True)
    return new


def take_over_all(run: RunFolder, recorded: Recorded) -> list[Execution]:
    """Takes over the records that hosts had made when the lab was ended."""
    left = sorted(run.portions.glob("*/experiment.json"))
    return [record for path in left for record in take_over(run, RunFolder(path.parent), recorded)]


def _identity(reading: ReferenceReading) -> tuple[str, int, str]:
    return reading.boot_id, reading.started_monotonic_ns, reading.after


def _files(portion: RunFolder, run: RunFolder, execution: str) -> Iterator[tuple[Path, Path]]:
    for place in (
        RunFolder.iterations_file,
        RunFolder.latency_file,
        RunFolder.events_file,
        RunFolder.lines_file,
        RunFolder.probe_file,
        RunFolder.raw_folder,
    ):
        yield place(portion, execution), place(run, execution)
