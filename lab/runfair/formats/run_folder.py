"""The folder of a run: plain text files that survive an interruption.

experiment.json             the plan, resolved, with the seed of its order
experiment.seal             proof that this installation made it (`experiment/seal.py`)
machines/HOST.json          the machine
fleet.json                  the machines on which a run over several hosts began
portions/PORTION-HOST/      the portion that a host carries out now: a folder like this one
executions.jsonl            a line for each execution, appended and synced as it ends
reference.jsonl             a line for each reading of the reference loop
iterations/EXECUTION.jsonl  the iterations' lines, verbatim
latency/EXECUTION.hlog      a service's latencies at its operating point, by interval
events/EXECUTION.jsonl      the runtime's events
lines/EXECUTION.jsonl       figures for lines of its source, if it reported some, with the text
probes/EXECUTION.json       its bytecodes, if it ran under the probe, with the sources
raw/EXECUTION/              stdout (all but iterations), stderr, the launcher's report
verdict.json, tables.md     derived, recomputable
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from runfair.errors import UserMistake
from runfair.formats.appended_lines import AppendedLines, drop_torn_line
from runfair.formats.execution import Execution
from runfair.formats.host import Host, ReferenceReading
from runfair.formats.kept_file import keeping, write_whole
from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.machines import PROGRAM_ROLE, Machines, RunMachines
from runfair.formats.plan import Plan
from runfair.formats.service import Usage

SCHEMA_VERSION = 1
NAME_LENGTH = 100
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT")
PARTS = ("machines", "iterations", "latency", "events", "lines", "probes", "raw")

Kind = TypeVar("Kind", Plan, Host, RunMachines)


@dataclass(frozen=True)
class RunFolder:
    """A run's folder, with functions to read and write its files."""

    path: Path

    @staticmethod
    def create(results: Path, plan: Plan, host: Host) -> RunFolder:
        """A new folder `TIME-NAME` below `results`, with the plan and the machine in it."""
        stamp = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime(plan.created_realtime_ns // 10**9))
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", plan.experiment)[:NAME_LENGTH]
        with keeping(results):
            for suffix in ("", *(f"-{n}" for n in range(2, 100))):
                folder = RunFolder(results / f"{stamp}-{name}{suffix}")
                try:
                    folder.path.mkdir(parents=True)
                    break
                except FileExistsError:
                    continue
            for part in PARTS:
                (folder.path / part).mkdir()
            write_whole(folder.host_file(host.name), host.model_dump_json(indent=1) + "\n")
            write_whole(folder.plan_file, plan.model_dump_json(indent=1) + "\n")
        return folder

    @staticmethod
    def require_writable(results: Path) -> None:
        """Raises UserMistake if no run can be created below `results`."""
        there = next(one for one in (results, *results.absolute().parents) if one.exists())
        with keeping(results), TemporaryFile(dir=there):
            pass

    @staticmethod
    def find(name: str, results: Path) -> RunFolder:
        """The run with this path or this name below `results`, or the `latest` run; raises
        UserMistake if there is none."""
        if name == "latest":
            runs = [path.parent for path in results.glob("*/experiment.json")]
            if not runs:
                raise UserMistake(
                    f"{results}: there is no run in this folder; measure one with ./runfair run"
                )
            # A run that a user renamed may have no time in its name.
            return RunFolder(max(runs, key=lambda run: (bool(_STAMP.match(run.name)), run.name)))
        for path in (Path(name), results / name):
            if (path / "experiment.json").is_file():
                return RunFolder(path.resolve())
        raise UserMistake(
            f"{name}: there is no run with this name or path; runfair looked in {results}"
        )

    @property
    def plan_file(self) -> Path:
        return self.path / "experiment.json"

    @property
    def resumed_file(self) -> Path:
        """The other versions of runfair that resumed the run, a line for each."""
        return self.path / "resumed-by"

    @property
    def executions_file(self) -> Path:
        return self.path / "executions.jsonl"

    @property
    def reference_file(self) -> Path:
        return self.path / "reference.jsonl"

    def host_file(self, host: str) -> Path:
        return self.path / "machines" / f"{host}.json"

    @property
    def fleet_file(self) -> Path:
        """This file exists if the run measures on several hosts."""
        return self.path / "fleet.json"

    @property
    def portions(self) -> Path:
        """The folder with the portions that hosts carry out now."""
        return self.path / "portions"

    def iterations_file(self, execution: str) -> Path:
        return self.path.joinpath("iterations", f"{execution}.jsonl")

    def raw_folder(self, execution: str) -> Path:
        return self.path / "raw" / execution

    def make_raw_folder(self, execution: str) -> Path:
        """The execution's `raw_folder`, which is created if it is missing. Raises UserMistake if
        the folder cannot be created."""
        raw = self.raw_folder(execution)
        with keeping(self.path):
            raw.mkdir(parents=True, exist_ok=True)
        return raw

    def latency_file(self, execution: str) -> Path:
        """The interval log of the load at a service's operating point. The interval logs of other
        loads are in `raw`."""
        return self.path / "latency" / f"{execution}.hlog"

    def events_file(self, execution: str) -> Path:
        return self.path / "events" / f"{execution}.jsonl"

    def lines_file(self, execution: str) -> Path:
        return self.path / "lines" / f"{execution}.jsonl"

    def with_lines(self) -> set[str]:
        """The executions that have a `lines_file`."""
        return {path.stem for path in (self.path / "lines").glob("*.jsonl")}

    def probe_file(self, execution: str) -> Path:
        return self.path / "probes" / f"{execution}.json"

    def load_file(self, execution: str, load: str, kind: str) -> Path:
        """A file of one load on a service: `json`, `txt`, `hlog` or `records`."""
        return self.raw_folder(execution) / f"{load}.{kind}"

    def relay_file(self, execution: str) -> Path:
        """The file with each query that went through the relay."""
        return self.raw_folder(execution) / "relay.records"

    def relay_report_file(self, execution: str) -> Path:
        """The relay's report."""
        return self.raw_folder(execution) / "relay.json"

    def usage_file(self, execution: str) -> Path:
        return self.raw_folder(execution) / "usage.jsonl"

    def load_result(self, execution: str, load: str) -> LoadResult | None:
        """The generator's result of a load; None if the load did not finish."""
        path = self.load_file(execution, load, "json")
        return read_result(path) if path.exists() else None

    def usage(self, execution: str) -> list[Usage]:
        """The resource use of the process trees that belong to a service. An incomplete last line
        is ignored."""
        return AppendedLines(self.usage_file(execution), Usage).read()

    def plan(self) -> Plan:
        """The plan, whose `runfair` also names the other versions that resumed the run."""
        plan = _read(self.plan_file, Plan)
        made_by = ", resumed by ".join([plan.runfair, *self._resumed_by()])
        return plan.model_copy(update={"runfair": made_by})

    def add_version(self, version: str) -> None:
        """Record the version of runfair that resumes the run, unless it is the last one."""
        made_by = _read(self.plan_file, Plan).runfair
        if version != [made_by, *self._resumed_by()][-1]:
            with keeping(self.path), self.resumed_file.open("a", encoding="utf-8") as file:
                file.write(f"{version}\n")

    def _resumed_by(self) -> list[str]:
        if not self.resumed_file.exists():
            return []
        return self.resumed_file.read_text("utf-8", "replace").splitlines()

    def machines(self) -> Machines:
        """The machines on which a run over several hosts began."""
        return _read(self.fleet_file, RunMachines).machines

    def host(self) -> Host:
        """The machine of the run; of several, the first by name."""
        return self.hosts()[0]

    def hosts(self) -> list[Host]:
        """The machines that measured programs and services, by name: at least one."""
        files = sorted((self.path / "machines").glob("*.json"))
        described = [_read(path, Host) for path in files]
        measuring = [one for one in described if one.role == PROGRAM_ROLE]
        if not measuring:
            raise UserMistake(
                f"{self.path}/machines: the description of the machine is missing; restore the "
                "run's folder from a copy"
            )
        return measuring

    def next_attempt(self, planned: str) -> int:
        """The number of the first attempt that has no files in this folder. The files of an
        interrupted attempt are thus kept."""
        attempt = 1
        while self.raw_folder(f"{planned}.{attempt}").exists():
            attempt += 1
        return attempt

    def append(self, execution: Execution) -> None:
        """Record one execution: after this returns, it survives a power cut."""
        with keeping(self.path), self.executions_file.open("ab") as file:
            file.write(execution.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def executions(self) -> list[Execution]:
        """The recorded executions: for each planned execution its latest attempt. Earlier attempts
        stay on disk. An incomplete last line is ignored."""
        latest: dict[str, Execution] = {}
        for execution in self.attempts():
            latest[execution.planned] = execution
        return list(latest.values())

    def attempts(self) -> list[Execution]:
        return AppendedLines(self.executions_file, Execution).read()

    def append_reading(self, reading: ReferenceReading) -> None:
        """Record a reading of the reference loop. The reading is not synced, because losing a
        reading only leaves a gap."""
        with keeping(self.path), self.reference_file.open("ab") as file:
            file.write(reading.model_dump_json().encode() + b"\n")

    def readings(self) -> list[ReferenceReading]:
        """The readings of the reference loop; empty in old runs, which had no reference loop."""
        return AppendedLines(self.reference_file, ReferenceReading).read()

    def drop_torn_lines(self) -> None:
        """Remove incomplete last lines, so that the next record begins on a line of its own."""
        for path in (self.executions_file, self.reference_file):
            if path.exists():
                drop_torn_line(path)

    def iterations(self, execution: str) -> tuple[list[int], list[int]]:
        """The wall time and the CPU time of each iteration, in nanoseconds. The lists of times are
        empty if there were no iterations."""
        path = self.iterations_file(execution)
        try:
            # One call of the parser for all lines takes half of the time.
            lines = path.read_bytes().split(b"\n")[:-1]
            events = from_json(b"[%s]" % b",".join(lines))
            wall = [event["wall_ns"] for event in events]
            cpu = [event["cpu_ns"] for event in events]
        except FileNotFoundError:
            return [], []
        except (ValueError, KeyError, TypeError):
            raise UserMistake(
                f"{path}: the file is damaged, because one of its lines is not an iteration; "
                "restore the run's folder from a copy"
            ) from None
        return wall, cpu

    def samples(self, execution: str) -> list[dict[str, list[int]]]:
        """The samples of each iteration: for each distribution, cells with their counts."""
        path = self.iterations_file(execution)
        if not path.exists():
            return []
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
            return [json.loads(line).get("samples", {}) for line in lines]
        except (ValueError, AttributeError):
            raise UserMistake(
                f"{path}: the file is damaged, because one of its lines is not an iteration; "
                "restore the run's folder from a copy"
            ) from None


def _read(path: Path, kind: type[Kind]) -> Kind:
    content = path.read_bytes()
    try:
        version = json.loads(content).get("schema_version")
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError):
        raise UserMistake(
            f"{path}: this is not a file of runfair, because it contains no JSON object"
        ) from None
    if version != SCHEMA_VERSION:
        raise UserMistake(
            f"{path}: the file has schema {version}, but this version of runfair reads schema "
            f"{SCHEMA_VERSION}; use the version that wrote the file, or measure again"
        )
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserMistake(f"{path}: {where}: {first['msg']}") from None
