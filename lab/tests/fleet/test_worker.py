"""The program of a step describes its host or carries out a portion; a failure is one line."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evidence.honest_run import honest_run
from experiment.plans import artefact, execution, variant
from fleet.fleet_runs import new_run, service_plan, small_plan
from runfair.building.checksum import fingerprint
from runfair.catalogue.discovery_cache import DiscoveryCache
from runfair.errors import UserMistake
from runfair.evidence.run import tolerances
from runfair.experiment.engine import require_artefact
from runfair.fleet import team, worker
from runfair.fleet.block_planner import Recorded, make_portion_folder, portions
from runfair.fleet.team import Member, Team, write_team
from runfair.formats.execution import Execution
from runfair.formats.host import Host, KnownHost
from runfair.formats.machines import HostRole
from runfair.formats.place import DeclaredPlace, Location
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.variant import Variant
from runfair.machine.launching import Launcher
from runfair.machine.place import ClockUnmeasured, Place

HOST = honest_run().host.model_copy(update={"name": "host2"})
PLAN = small_plan()


class Machine:
    """The machine below a worker: a description, and executors that record without measuring."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.locks: list[str] = []
        self.rules: list[Any] = []
        self.failure: Exception | None = None
        monkeypatch.setattr(worker, "acquire", self._acquire)
        monkeypatch.setattr(worker, "described", lambda: (None, HOST))
        monkeypatch.setattr(worker, "build_native", lambda _: Path("/bin/true"))
        monkeypatch.setattr(worker, "ReferenceLoop", lambda _: None)
        monkeypatch.setattr(worker, "ProgramExecutor", lambda *_: self)
        monkeypatch.setattr(worker, "DrivenExecutor", lambda *_: self)
        monkeypatch.setattr(worker, "Readings", lambda *_: None)
        monkeypatch.setattr("runfair.experiment.engine.require_artefact", lambda _: None)

    @contextmanager
    def _acquire(self, name: str, wait_s: float) -> Iterator[None]:
        assert wait_s > 3600  # another run on the host is waited for
        self.locks.append(name)
        yield

    def execute(self, planned: PlannedExecution, _: Cell, attempt: int, rule: Any) -> Execution:
        if self.failure:
            raise self.failure
        self.rules.append(rule)
        return execution(planned, attempt, host=HOST.name)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def started(monkeypatch: pytest.MonkeyPatch, action: str, path: Path) -> int:
    """The exit status of a worker."""
    monkeypatch.setattr("sys.argv", ["worker", action, str(path)])
    try:
        worker.main()
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def portion(tmp_path: Path, plan: Plan = PLAN) -> RunFolder:
    run = new_run(tmp_path, plan)
    block = next(one for one in portions(plan, []) if not one.is_pilot)
    return make_portion_folder(run, plan, block, HOST.name, Recorded())


def test_a_description_is_written_whole(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "host2.json"
    monkeypatch.setattr(worker, "clock_is_kept", lambda: False)
    assert started(monkeypatch, "describe", path) == 0
    described = HOST.model_copy(update={"clock_kept": False})
    assert KnownHost.model_validate_json(path.read_bytes()).host == described
    assert [one.name for one in tmp_path.iterdir()] == ["host2.json"]
    assert machine.locks == [worker.RUN]


@pytest.mark.usefixtures("machine")
def test_the_step_of_the_worker_gives_no_options_to_further_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, str] = {}

    def described() -> tuple[None, Host]:
        seen.update(os.environ)
        return None, HOST

    monkeypatch.setattr(worker, "described", described)
    for name in ("SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_CONF"):
        monkeypatch.setenv(name, "1")
    assert started(monkeypatch, "describe", tmp_path / "host.json") == 0
    assert [name for name in sorted(seen) if name.startswith("SLURM_")] == ["SLURM_CONF"]


def test_a_host_names_the_runtimes_that_it_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    here, gone = "/bin/sh", str(tmp_path / "gone")

    def ready(name: str, family: str, executable: str) -> Variant:
        own = {"family": family, "runtime": name, "executable": executable}
        return variant(name).model_copy(update=own)

    DiscoveryCache(
        variants=[
            ready("node-20", "node", gone),
            ready("cpython-3.11", "cpython", here),
            ready("gcc-12", "gcc", gone),  # only builds programs
            ready("own-1", "own", gone),  # is not in the catalogue
            ready("node-22", "node", gone).model_copy(update={"state": "missing"}),
        ]
    ).write()
    assert worker.missing_runtimes() == ["node-20"]


def test_a_portion_is_carried_out_under_the_lock(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = portion(tmp_path)
    assert started(monkeypatch, "portion", folder.path) == 0
    planned = folder.plan().executions
    assert [one.planned for one in folder.executions()] == [one.id for one in planned]
    assert {one.host for one in folder.executions()} == {"host2"}
    assert folder.host() == HOST
    assert machine.locks == [worker.RUN]


def test_a_portion_is_stopped_by_the_calibration_of_its_own_host(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(monkeypatch, "portion", portion(tmp_path).path)
    assert machine.rules
    assert {rule.tolerance for rule in machine.rules} == {tolerances(HOST)["wall"]}


def test_a_mistake_is_one_line_with_its_status(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine.failure = UserMistake("node: not found in PATH")
    assert started(monkeypatch, "portion", portion(tmp_path).path) == 2
    assert capsys.readouterr().err == "runfair: node: not found in PATH\n"


@pytest.mark.usefixtures("machine")
def test_a_program_that_is_another_one_on_this_host_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.write_text("as the lab built it")
    built = artefact([str(program)]).model_copy(update={"files": [str(program)]})
    seen = built.model_copy(update={"fingerprint": fingerprint(built, [])})
    cells = [one.model_copy(update={"artefact": seen}) for one in PLAN.cells]
    plan = PLAN.model_copy(update={"cells": cells})
    monkeypatch.setattr("runfair.experiment.engine.require_artefact", require_artefact)
    same, other = portion(tmp_path / "same", plan), portion(tmp_path / "other", plan)
    assert started(monkeypatch, "portion", same.path) == 0
    program.write_text("another version")
    assert started(monkeypatch, "portion", other.path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "has changed since the run was planned" in line
    assert other.executions() == []


def test_a_full_disk_is_one_line(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine.failure = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert started(monkeypatch, "portion", portion(tmp_path).path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no space left on the disk" in line


def of_team(tmp_path: Path, plan: Plan, beside: str = "") -> RunFolder:
    """The portion of two hosts that measure a service together. The service also runs `beside`."""
    run = RunFolder.create(tmp_path, plan, HOST)
    (block,) = portions(plan, [])
    folder = make_portion_folder(run, plan, block, HOST.name, Recorded())
    roles: dict[HostRole, str] = {"generator": "host1", "service": HOST.name}
    members = {role: Member(host=name, launcher=["srun", name]) for role, name in roles.items()}
    further = {beside: Member(host=beside, launcher=["srun", beside])} if beside else {}
    for name in further:
        described = HOST.model_copy(update={"name": name})
        run.host_file(name).write_text(described.model_dump_json())
    write_team(folder, Team(members=members, described=HOST.name, beside=further), run)
    return folder


def test_a_host_of_a_team_whose_clock_cannot_be_measured_is_named(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(worker, "ServiceExecutor", lambda *_, **__: machine)
    monkeypatch.setattr(socket, "gethostbyname", lambda _: "10.0.0.2")
    monkeypatch.setattr(team, "own_address", lambda _: "10.0.0.1")
    there = Place("service", DeclaredPlace(host="host2"), Launcher(Path("none")))
    machine.failure = ClockUnmeasured(there, "srun: error: Node failure on host2")
    assert started(monkeypatch, "portion", of_team(tmp_path, service_plan()).path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the clock of host2 cannot be measured (Node failure on host2)" in line
    assert "places" not in line


def test_services_are_measured_in_the_places_of_their_team(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = service_plan()
    folder = of_team(tmp_path, plan)
    made: list[tuple[Plan, Host, Location]] = []

    def executor(
        _launcher: None, placed: Plan, _folder: RunFolder, host: Host, *_: Any, **own: Any
    ) -> Machine:
        made.append((placed, host, own["generator_place"]))
        return machine

    monkeypatch.setattr(worker, "ServiceExecutor", executor)
    monkeypatch.setattr(socket, "gethostbyname", lambda host: f"10.0.0.{host[-1]}")
    monkeypatch.setattr(team, "own_address", lambda _: "10.0.0.1")
    assert started(monkeypatch, "portion", folder.path) == 0
    assert {one.planned for one in folder.executions()} == {one.id for one in plan.executions}
    ((placed, described, generator),) = made
    assert {cell.factors.place for cell in placed.cells} == {"service"}
    assert placed.places["service"].address == "10.0.0.2"
    assert (described.name, generator.name) == (HOST.name, "generator")
    # The generator's host is not one that measured.
    assert [one.name for one in folder.hosts()] == [HOST.name]


def test_the_hosts_beside_the_first_are_given_to_the_executor(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first host of a team is not always the first by name."""
    folder = of_team(tmp_path, service_plan(), beside="host1-too")
    made: list[tuple[Host, dict[str, Host]]] = []

    def executor(*given: Any, **own: Any) -> Machine:
        made.append((given[3], own["further"]))
        return machine

    monkeypatch.setattr(worker, "ServiceExecutor", executor)
    monkeypatch.setattr(socket, "gethostbyname", lambda _: "10.0.0.1")
    monkeypatch.setattr(team, "own_address", lambda _: "10.0.0.1")
    assert started(monkeypatch, "portion", folder.path) == 0
    ((host, further),) = made
    assert host.name == HOST.name
    assert {place: one.name for place, one in further.items()} == {"service-2": "host1-too"}
