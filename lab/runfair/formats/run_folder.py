"""A run on disk: plain files, readable, greppable, safe to interrupt.

experiment.json             the plan, resolved, with the seed of its order
experiment.seal             proof that this installation made it (`experiment/seal.py`)
machines/HOST.json          the machine
executions.jsonl            one line an execution, appended and synced as it ends
reference.jsonl             one line a reading of the reference loop, between executions
iterations/EXECUTION.jsonl  the iterations' lines, verbatim
latency/EXECUTION.hlog      a service's latencies at its operating point, an interval a line
events/EXECUTION.jsonl      what its runtime did meanwhile
lines/EXECUTION.jsonl       figures for lines of its source, where it told some, with the text
probes/EXECUTION.json       which bytecodes it executed, if it ran under the probe, with the sources
raw/EXECUTION/              stdout (all but iterations), stderr, the launcher's report
verdict.json, tables.md     derived, recomputable
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EDQUOT, EEXIST, EFBIG, ENAMETOOLONG, ENOSPC, ENOTDIR, EROFS
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.execution import Execution
from runfair.formats.host import Host, ReferenceReading
from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.plan import Plan
from runfair.formats.service import Usage

SCHEMA_VERSION = 1
NAME_LENGTH = 100
_FULL = (ENOSPC, EDQUOT, EFBIG)
_NO_FOLDER = (ENOTDIR, EEXIST, EROFS, ENAMETOOLONG)

Kind = TypeVar("Kind", Plan, Host)
Line = TypeVar("Line", Execution, Usage, ReferenceReading)


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run and what is in it."""

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
            for part in ("machines", "iterations", "latency", "events", "lines", "probes", "raw"):
                (folder.path / part).mkdir()
            write_whole(folder.host_file(host.name), host.model_dump_json(indent=1) + "\n")
            write_whole(folder.plan_file, plan.model_dump_json(indent=1) + "\n")
        return folder

    @staticmethod
    def find(name: str, results: Path) -> RunFolder:
        """By path, by name below `results`, or `latest`; a UserMistake if there is none."""
        if name == "latest":
            runs = [path.parent for path in results.glob("*/experiment.json")]
            if not runs:
                raise UserMistake(f"{results}: no run here yet; ./runfair run makes a run")
            return RunFolder(max(runs, key=lambda run: run.name))
        for path in (Path(name), results / name):
            if (path / "experiment.json").is_file():
                return RunFolder(path)
        raise UserMistake(f"{name}: no run of that name or path (looked in {results})")

    @property
    def plan_file(self) -> Path:
        return self.path / "experiment.json"

    @property
    def executions_file(self) -> Path:
        return self.path / "executions.jsonl"

    @property
    def reference_file(self) -> Path:
        return self.path / "reference.jsonl"

    def host_file(self, host: str) -> Path:
        return self.path / "machines" / f"{host}.json"

    def iterations_file(self, execution: str) -> Path:
        return self.path / "iterations" / f"{execution}.jsonl"

    def raw_folder(self, execution: str) -> Path:
        return self.path / "raw" / execution

    def make_raw_folder(self, execution: str) -> Path:
        """`raw_folder`, made if it is not there. UserMistake if it cannot be."""
        raw = self.raw_folder(execution)
        with keeping(self.path):
            raw.mkdir(parents=True, exist_ok=True)
        return raw

    def latency_file(self, execution: str) -> Path:
        """The interval log of a service's operating point; other loads have theirs in `raw`."""
        return self.path / "latency" / f"{execution}.hlog"

    def events_file(self, execution: str) -> Path:
        return self.path / "events" / f"{execution}.jsonl"

    def lines_file(self, execution: str) -> Path:
        return self.path / "lines" / f"{execution}.jsonl"

    def probe_file(self, execution: str) -> Path:
        return self.path / "probes" / f"{execution}.json"

    def load_file(self, execution: str, load: str, kind: str) -> Path:
        """A file of one load on a service: `json`, `txt`, `hlog` or `records`."""
        return self.raw_folder(execution) / f"{load}.{kind}"

    def relay_file(self, execution: str) -> Path:
        """Each query that went through the relay."""
        return self.raw_folder(execution) / "relay.records"

    def relay_report_file(self, execution: str) -> Path:
        """What the relay says of its life."""
        return self.raw_folder(execution) / "relay.json"

    def usage_file(self, execution: str) -> Path:
        return self.raw_folder(execution) / "usage.jsonl"

    def load_result(self, execution: str, load: str) -> LoadResult | None:
        """What the generator said of a load; None if it never came to an end."""
        path = self.load_file(execution, load, "json")
        return read_result(path) if path.exists() else None

    def usage(self, execution: str) -> list[Usage]:
        """What the process trees around a service used; a torn last line is passed over."""
        path = self.usage_file(execution)
        if not path.exists():
            return []
        return _whole_lines(path, Usage)

    def plan(self) -> Plan:
        return _read(self.plan_file, Plan)

    def host(self) -> Host:
        files = sorted((self.path / "machines").glob("*.json"))
        if not files:
            raise UserMistake(f"{self.path}/machines: the machine's description is missing")
        return _read(files[0], Host)

    def next_attempt(self, planned: str) -> int:
        """The first attempt that left nothing here: what a cut-short one left is never lost."""
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
        """Every whole line; a torn last one is passed over. The latest attempt of each planned
        execution stands for it; the earlier ones stay on disk."""
        latest: dict[str, Execution] = {}
        for execution in self.attempts():
            latest[execution.planned] = execution
        return list(latest.values())

    def attempts(self) -> list[Execution]:
        if not self.executions_file.exists():
            return []
        return _whole_lines(self.executions_file, Execution)

    def append_reading(self, reading: ReferenceReading) -> None:
        """Record one reading of the reference loop. It is not synced: a lost one is a gap."""
        with keeping(self.path), self.reference_file.open("ab") as file:
            file.write(reading.model_dump_json().encode() + b"\n")

    def readings(self) -> list[ReferenceReading]:
        """Every whole line; none in runs of before there was a reference loop."""
        if not self.reference_file.exists():
            return []
        return _whole_lines(self.reference_file, ReferenceReading)

    def drop_torn_lines(self) -> None:
        """Cut unfinished last lines away, so that the next ones begin on their own."""
        for path in (self.executions_file, self.reference_file):
            if path.exists():
                _drop_torn_line(path)

    def iterations(self, execution: str) -> tuple[list[int], list[int]]:
        """Wall and CPU nanoseconds of each iteration; empty if there was none."""
        path = self.iterations_file(execution)
        if not path.exists():
            return [], []
        wall: list[int] = []
        cpu: list[int] = []
        try:
            for line in path.read_bytes().split(b"\n")[:-1]:
                event = json.loads(line)
                wall.append(event["wall_ns"])
                cpu.append(event["cpu_ns"])
        except (ValueError, KeyError, TypeError):
            raise UserMistake(f"{path}: damaged: a line is no iteration") from None
        return wall, cpu

    def samples(self, execution: str) -> list[dict[str, list[int]]]:
        """What each iteration recorded: by distribution, cells with their counts."""
        path = self.iterations_file(execution)
        if not path.exists():
            return []
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
            return [json.loads(line).get("samples", {}) for line in lines]
        except (ValueError, AttributeError):
            raise UserMistake(f"{path}: damaged: a line is no iteration") from None


def _drop_torn_line(path: Path) -> None:
    content = path.read_bytes()
    keep = content.rfind(b"\n") + 1
    if keep < len(content):
        with path.open("r+b") as file:
            file.truncate(keep)
            os.fsync(file.fileno())


def write_whole(path: Path, text: str) -> None:
    """The file is either the old one or the new one, whatever happens meanwhile."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextmanager
def keeping(path: Path) -> Iterator[None]:
    """A full or read-only disk is reported in one line; all that was recorded stays."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise UserMistake(
                f"{path}: no space left on the disk; what was measured is kept: "
                "free some, then ./runfair resume"
            ) from None
        if isinstance(error, PermissionError) or error.errno in _NO_FOLDER:
            raise UserMistake(
                f"{path}: cannot be written ({error.strerror}); choose another folder by --results"
            ) from None
        raise


def _whole_lines(path: Path, kind: type[Line]) -> list[Line]:
    whole = path.read_bytes().split(b"\n")[:-1]  # after the last line feed is a torn one, or none
    try:
        return [kind.model_validate_json(line) for line in whole]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UserMistake(
            f"{path}: not written by this version of runfair: {first['msg']}"
        ) from None


def _read(path: Path, kind: type[Kind]) -> Kind:
    content = path.read_bytes()
    try:
        version = json.loads(content).get("schema_version")
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError):
        raise UserMistake(f"{path}: not a file of runfair's: it is no JSON object") from None
    if version != SCHEMA_VERSION:
        raise UserMistake(
            f"{path}: schema {version}, and this version of runfair reads {SCHEMA_VERSION}; "
            "use the version that wrote it, or measure again"
        )
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserMistake(f"{path}: {where}: {first['msg']}") from None
