"""The folder in which a host records its portion of a run, and how the run takes the records over.

The folder of a portion is a separate run folder, below `portions/` in the folder of the run. Two
hosts never write to the same file, because a shared file system would not keep their writes in
order. A record is appended to the run only after its files were moved there, so an interrupted
take-over can be completed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from runfair.fleet.block_planner import Portion
from runfair.formats.execution import Execution
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder, keeping, write_whole

PORTIONS = "portions"
PARTS = ("machines", "iterations", "latency", "events", "lines", "raw")


def make_portion_folder(
    run: RunFolder, plan: Plan, portion: Portion, host: str, done: Sequence[Execution]
) -> RunFolder:
    """A new folder for one portion on one host.

    The folder contains the existing records of the portion's cells that matter: their pilots, and
    executions that took too long. `done` has the records of the run.
    """
    folder = RunFolder(run.path / PORTIONS / f"{portion.name}-{host}")
    shutil.rmtree(folder.path, ignore_errors=True)
    with keeping(run.path):
        for part in PARTS:
            (folder.path / part).mkdir(parents=True)
        cells = [cell for cell in plan.cells if cell.id in portion.cells]
        own = plan.model_copy(update={"cells": cells, "executions": list(portion.executions)})
        write_whole(folder.plan_file, own.model_dump_json() + "\n")
    planned = {one.id for one in portion.executions}
    for record in done:
        if record.planned in planned:
            # A repeated attempt gets a new number.
            folder.make_raw_folder(record.id)
        elif record.cell in portion.cells and _teaches(record):
            folder.append(record)
            iterations = run.iterations_file(record.id)
            if iterations.exists():
                shutil.copyfile(iterations, folder.iterations_file(record.id))
    return folder


def _teaches(record: Execution) -> bool:
    return record.role == "pilot" or record.launch.outcome.state == "timed_out"


def take_over(run: RunFolder, portion: RunFolder) -> list[Execution]:
    """Moves the records of a host into the run, and removes the host's folder. Returns the new
    records.
    """
    portion.drop_torn_lines()
    known = {record.id for record in run.attempts()}
    new = [record for record in portion.attempts() if record.id not in known]
    machines = run.path / "machines"
    for path in (portion.path / "machines").glob("*.json"):
        if not (machines / path.name).exists():
            path.replace(machines / path.name)
    for reading in portion.readings():
        run.append_reading(reading)
    for record in new:
        for source, target in _files(portion, run, record.id):
            if source.exists():
                shutil.rmtree(target, ignore_errors=True)
                source.replace(target)
        run.append(record)
    shutil.rmtree(portion.path, ignore_errors=True)
    return new


def take_over_all(run: RunFolder) -> list[Execution]:
    """Takes over the records that hosts had made when the lab was ended."""
    left = sorted((run.path / PORTIONS).glob("*/experiment.json"))
    return [record for path in left for record in take_over(run, RunFolder(path.parent))]


def _files(portion: RunFolder, run: RunFolder, execution: str) -> Iterator[tuple[Path, Path]]:
    for place in (
        RunFolder.iterations_file,
        RunFolder.latency_file,
        RunFolder.events_file,
        RunFolder.lines_file,
        RunFolder.raw_folder,
    ):
        yield place(portion, execution), place(run, execution)
