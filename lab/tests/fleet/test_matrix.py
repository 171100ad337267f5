"""Hosts take whole blocks as they become free. What fails is named, what was measured is kept, and
a block that a host lost is carried out by another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from experiment.plans import cell, host
from fleet.fleet_runs import (
    PLAN,
    FakeHosts,
    Fleet,
    Work,
    carried_out,
    service_plan,
    write,
)
from runfair.errors import UserMistake
from runfair.fleet import matrix as module
from runfair.fleet.block_planner import MOST_TRIES
from runfair.fleet.load_progress import LoadProgress, ProgressPrinter
from runfair.fleet.machines import known_hosts
from runfair.fleet.matrix import Matrix, describe_hosts, worker_words
from runfair.fleet.team import Member, Team, read_team
from runfair.formats.execution import Execution
from runfair.formats.host import KnownHost
from runfair.formats.machines import HostRole
from runfair.formats.run_folder import RunFolder
from runfair.loading.generator import Progress
from runfair.machine.native import lab_builds
from runfair.paths import REPOSITORY, private_folder

PROGRESS = LoadProgress(
    service="fastapi",
    load=Progress(
        event="progress",
        loop="open",
        elapsed_ns=1,
        horizon_ns=2,
        scheduled=3,
        sent=3,
        completed=3,
        failed=0,
        overdue=0,
        p50_ns=None,
        p99_ns=None,
        max_ns=None,
        achieved_per_s=1.0,
    ),
)
DISK = "runfair: /run: no space left on the disk; finished executions are kept"


def test_the_progress_of_loads_is_passed_on(fleet: Callable[..., Fleet]) -> None:
    run = fleet(carried_out, "host1")
    run.hosts.printed = ["a line of another program\n", PROGRESS.model_dump_json() + "\n"]
    run.carry_out()
    run.require_complete()
    assert run.loads == [PROGRESS] * len(run.hosts.steps)
    assert run.said == []


def test_a_load_is_printed_once_per_interval(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = iter((0.0, 0.5, 1.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(now_s))
    printer = ProgressPrinter()
    printer.begins(cell(variant="fastapi"))
    for _ in range(3):
        printer.load(PROGRESS.load)
    lines = capsys.readouterr().out.splitlines()
    assert [LoadProgress.of_line(line) for line in lines] == [PROGRESS] * 2
    assert LoadProgress.of_line("srun: warning") is None


def test_every_block_is_carried_out_whole_by_one_host(fleet: Callable[..., Fleet]) -> None:
    together = threading.Barrier(2, timeout=60)

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if folder.plan().executions[0].role == "pilot":
            together.wait()  # both hosts have a pilot, so both take part
        return carried_out(name, folder)

    run = fleet(work, "host1", "host2")
    run.carry_out()
    run.require_complete()
    assert run.said == []
    assert {one.host for one in run.folder.executions()} == {"host1", "host2"}


def test_a_host_with_a_full_disk_is_named_and_leaves_its_block(
    fleet: Callable[..., Fleet],
) -> None:
    failed = threading.Event()

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if name == "host2":
            carried_out(name, folder, most=0 if folder.plan().executions[0].role == "pilot" else 1)
            failed.set()
            return 2, f"{DISK}\nsrun: error: host2: task 0: Exited with exit code 2\n"
        assert failed.wait(60)
        return carried_out(name, folder)

    run = fleet(work, "host1", "host2")
    run.carry_out()
    run.require_complete()
    assert run.said == [
        f"host2: {DISK.removeprefix('runfair: ')}; runfair no longer uses this host, and "
        "another host measures its executions"
    ]


def test_what_a_host_measured_before_it_was_lost_is_kept(fleet: Callable[..., Fleet]) -> None:
    lost: list[str] = []
    one_alone = threading.Lock()  # never released: hosts work at the same time, and one is lost

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if folder.plan().executions[0].role == "block" and one_alone.acquire(blocking=False):
            lost.append(name)
            run.hosts.lost.add(name)
            carried_out(name, folder, most=2)
            return 0, "srun: error: Node failure on it\n"  # Slurm's status of a lost node is 0
        return carried_out(name, folder)

    run = fleet(work, "host1", "host2")
    run.carry_out()
    run.require_complete()
    (gone,) = lost
    assert run.said == [
        f"{gone}: Node failure on it; runfair no longer uses this host, and another host "
        "measures its executions"
    ]
    assert len(run.folder.attempts()) == len(PLAN.executions) + 2


def test_a_host_whose_step_alone_failed_goes_on(fleet: Callable[..., Fleet]) -> None:
    tries: list[str] = []

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        tries.append(name)
        return carried_out(name, folder) if len(tries) > 1 else (1, "srun: error: Unable to do it")

    run = fleet(work, "host1")
    run.carry_out()
    run.require_complete()
    assert run.said == []


def test_a_host_that_fails_twice_in_a_row_does_not_end_the_run(
    fleet: Callable[..., Fleet],
) -> None:
    """Slurm itself cannot start a step on the host, because the host's disk is full."""
    full = "srun: error: host1: Unable to create the job's folder: No space left on device"
    tries: list[str] = []

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        tries.append(name)
        if name == "host1":
            return 1, full
        # The other host works until the full one has failed twice.
        until_s = time.monotonic() + 60
        while tries.count("host1") < 2 and time.monotonic() < until_s:
            time.sleep(0.01)
        return carried_out(name, folder)

    run = fleet(work, "host1", "host2")
    run.carry_out()
    run.require_complete()
    assert tries.count("host1") == 2
    (said,) = run.said
    assert said.startswith("host1: ")
    assert said.endswith(
        "No space left on device; runfair no longer uses this host, and another host measures its "
        "executions"
    )


def test_a_block_that_fails_everywhere_ends_the_run(fleet: Callable[..., Fleet]) -> None:
    crash = (
        "Traceback (most recent call last):\n"
        '  File "worker.py", line 1, in <module>\n'
        "KeyError: 'cell'\n"
        "srun: error: host1: task 0: Exited with exit code 1\n"
    )
    run = fleet(lambda _name, _folder: (1, crash), "host1")
    assert run.failure() == (
        f"the same group of executions (block) failed {MOST_TRIES} times; host1: KeyError: 'cell'"
    )


def test_no_host_is_left(fleet: Callable[..., Fleet]) -> None:
    run = fleet(lambda _name, _folder: (2, DISK), "host1", "host2")
    said = run.failure()
    assert said.startswith("no host is left that can measure; host")
    assert said.endswith("no space left on the disk; finished executions are kept")
    assert len(run.said) == 2


def test_an_allocation_that_ended_keeps_what_was_measured(fleet: Callable[..., Fleet]) -> None:
    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if folder.plan().executions[0].role == "pilot":
            return carried_out(name, folder)
        run.hosts.end = "CANCELLED by administrator"
        carried_out(name, folder, most=3)
        return 1, "srun: error: STEP CANCELLED"

    run = fleet(work, "host1")
    assert run.failure() == (
        "Slurm's job 7 ended before the run was complete (CANCELLED by administrator)"
    )
    assert len(run.folder.executions()) == 2 + 3
    run.hosts.end, run.hosts.work = "", carried_out
    run.carry_out()
    run.require_complete()


def test_an_interruption_stops_the_other_hosts_and_keeps_their_records(
    fleet: Callable[..., Fleet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "END_LIMIT_S", 60.0)
    begun = threading.Event()

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        first = folder.plan().executions[0]
        if name == "host1":
            assert begun.wait(60)
            return carried_out(name, folder)
        write(folder, first, name)
        begun.set()
        assert run.hosts.steps[1].stopped.wait(60)
        return 143, ""

    class Interrupted(list[Execution]):
        def append(self, _: Execution) -> None:
            raise KeyboardInterrupt

    run = fleet(work, "host1", "host2")
    run.recorded = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        run.carry_out()
    assert {one.host for one in run.folder.executions()} == {"host1", "host2"}
    assert list(run.folder.portions.iterdir()) == []


def test_hosts_that_cannot_measure_are_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if name == "host2":
            return 2, "runfair: another run is already measuring on this machine"
        if name == "host3":
            return 0, "srun: error: Node failure on host3"  # status 0, but no description
        if name == "host4":
            return 0, ""  # it has written to its own disk
        folder.path.write_text(KnownHost(host=host(name=name)).model_dump_json())
        return 0, ""

    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    said: list[str] = []
    hosts = FakeHosts(work, "host1", "host2", "host3", "host4")
    assert [*describe_hosts(hosts.allocation, tmp_path, said.append)] == ["host1"]
    assert sorted(said) == [
        "host2 cannot measure: another run is already measuring on this machine",
        "host3 cannot measure: Node failure on host3",
        "host4 cannot measure: the file that it wrote is missing here; all hosts must share "
        f"{tmp_path.parent}",
    ]
    assert [*known_hosts(["host1", "host2"])] == ["host1"]
    none = FakeHosts(work, "host3")
    with pytest.raises(
        UserMistake, match=("none of the hosts that Slurm allocated can measure; host3 cannot")
    ):
        describe_hosts(none.allocation, tmp_path, said.append)


def test_a_worker_has_the_lab_with_its_builds_and_its_private_folder() -> None:
    words = worker_words("portion", Path("/run/portions/1"))
    assert words[:4] == [
        "env",
        f"PYTHONPATH={REPOSITORY / 'lab'}",
        f"RUNFAIR_PRIVATE={private_folder()}",
        lab_builds(),
    ]
    program = ["-P", "-X", "utf8", "-m", "runfair.fleet.worker"]
    assert words[-7:] == [*program, "portion", "/run/portions/1"]


def service_matrix(tmp_path: Path, work: Work) -> tuple[Matrix, Team, FakeHosts]:
    """The plan above over three hosts; the run's hosts do this work."""
    plan = service_plan()
    roles: dict[HostRole, str] = {"generator": "g", "service": "s", "database": "d"}
    members = {role: Member(host=name, launcher=["srun", name]) for role, name in roles.items()}
    team, hosts = Team(members=members, described="s"), FakeHosts(work, "g", "s", "d")
    matrix = Matrix(
        folder=RunFolder.create(tmp_path, plan, host(name="s")),
        plan=plan,
        allocation=hosts.allocation,
        hosts=("s",),
        on_record=lambda _: None,
        on_line=lambda _: None,
        teams={"s": team},
    )
    return matrix, team, hosts


def test_services_are_carried_out_from_their_generator_s_host(tmp_path: Path) -> None:
    seen: list[tuple[str, Team | None, str]] = []

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        seen.append((name, read_team(folder.path), folder.host().name))
        return carried_out("s", folder)

    matrix, team, _ = service_matrix(tmp_path, work)
    matrix.carry_out()
    assert seen
    assert {name for name, _, _ in seen} == {"g"}
    assert all(found == team and described == "s" for _, found, described in seen)
    planned = {one.planned for one in matrix.folder.executions()}
    assert planned == {one.id for one in matrix.plan.executions}


def test_a_team_that_lost_a_host_measures_nothing_more(tmp_path: Path) -> None:
    def work(_name: str, _folder: RunFolder) -> tuple[int, str]:
        hosts.lost.add("d")
        return 1, "srun: error: Node failure on d\n"

    matrix, _, hosts = service_matrix(tmp_path, work)
    with pytest.raises(UserMistake, match="no host is left that can measure; s: Node failure on d"):
        matrix.carry_out()
