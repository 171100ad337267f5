"""The folder in which a host records its portion of a run, and how the run takes the records over.

The folder of a portion is a separate run folder, below `portions/` in the folder of the run. Two
hosts never write to the same file, because a shared file system would not keep their writes in
order. A record is appended to the run only after its files were moved there, so an interrupted
take-over can be completed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from runfair.fleet.block_planner import Portion
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.kept_file import keeping, write_whole
from runfair.formats.plan import Plan
from runfair.formats.run_folder import PARTS, RunFolder


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
        if record.role == "pilot" or record.launch.outcome.state == "timed_out":
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
