"""Nodes are asked for as `machines.toml` states, and always returned; a refusal is one line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from fleet.fake_slurm import FakeSlurm, States, until
from fleet.fleet_runs import new_run, small_plan
from runfair.errors import UserMistake
from runfair.fleet import allocation as module
from runfair.fleet.allocation import Allocation, JobRequest, allocated
from runfair.fleet.slurm import Slurm
from runfair.fleet.slurm_answer import SlurmError
from runfair.formats.machines import HostRole, Machines, Needs, RunMachines

MACHINES = Machines(engine="slurm", partition="quiet", roles={"service": Needs(hosts=2)})
REQUEST = JobRequest("run", MACHINES)
# Like the real salloc, it ends when it receives SIGTERM.
WAITS = f"trap 'exit 1' TERM; {until('false')}"


class Clock:
    """A clock that only the test moves, and that moves by `tick_s` with each sleep."""

    now_s = 0.0
    tick_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, _: float) -> None:
        self.now_s += self.tick_s
        time.sleep(0.01)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    for name in ("POLL_S", "LONGEST_POLL_S"):
        monkeypatch.setattr(module, name, 0.02)
    return FakeSlurm(tmp_path)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def held(fake: FakeSlurm) -> Allocation:
    """The allocation of a request, after it was returned."""
    with allocated(fake.slurm, REQUEST, lambda _: None) as allocation:
        assert fake.called("scancel") == []
    return allocation


def refusal(fake: FakeSlurm) -> str:
    with pytest.raises(SlurmError) as caught:
        held(fake)
    said = str(caught.value)
    assert "\n" not in said
    assert caught.value.exit_status == 2
    return said


def test_the_request_has_what_the_file_states() -> None:
    needs = Needs(hosts=4, processors=2, memory_mib=8000, features=["epyc", "quiet"])
    machines = Machines(
        engine="slurm",
        partition="quiet",
        account="lab",
        qos="high",
        reservation="night",
        time_limit_min=125,
        roles={"service": needs},
    )
    words = JobRequest("run", machines).words
    assert words[:4] == ["salloc", "--no-shell", "--no-kill", "--exclusive"]
    assert {*words[4:]} == {
        *("--job-name=run", "--partition=quiet", "--nodes=4", "--mincpus=2", "--time=2:05:00"),
        *("--mem=8000M", "--constraint=epyc&quiet"),
        *("--account=lab", "--qos=high", "--reservation=night"),
    }


def test_what_the_file_does_not_state_is_not_asked_for() -> None:
    words = " ".join(REQUEST.words)
    for option in ("--mem", "--constraint", "--account", "--qos", "--reservation"):
        assert f"{option}=" not in words


def test_the_node_of_the_lab_is_left_out_for_all_roles() -> None:
    roles: dict[HostRole, Needs] = {
        "generator": Needs(),
        "service": Needs(),
        "lab": Needs(node="m1"),
    }
    machines = Machines(engine="slurm", partition="quiet", roles=roles)
    words = JobRequest("run", machines, ("generator", "service")).words
    first, second = words[: words.index(":")], words[words.index(":") :]
    assert "--exclude=m1" in first
    assert "--exclude=m1" in second
    assert "--exclude=m1" not in REQUEST.words


def test_a_run_is_completed_by_the_same_request(tmp_path: Path) -> None:
    folder = new_run(tmp_path, small_plan())
    folder.fleet_file.write_text(RunMachines(machines=MACHINES).model_dump_json())
    assert JobRequest("run", folder.machines()).words == REQUEST.words


def test_nodes_are_granted_and_returned(fake: FakeSlurm) -> None:
    allocation = held(fake)
    assert (allocation.number, allocation.hosts) == (7, ("host1", "host2"))
    assert fake.called("salloc") == [" ".join(REQUEST.words)]
    assert fake.called("scontrol") == ["scontrol show hostnames host[1-2]"]
    assert fake.called("scancel") == ["scancel 7"]


def test_the_lab_s_own_job_gives_no_options_to_slurm_s_commands(
    fake: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if ./runfair was started with `sbatch --cpus-per-task=4`."""
    for name in ("SLURM_JOB_ID", "SLURM_CPUS_PER_TASK", "SRUN_DEBUG"):
        monkeypatch.setenv(name, "4")
    monkeypatch.setenv("SLURM_CONF", "/etc/own.conf")
    fake.salloc("salloc: Granted job allocation 7", then="env >asking")
    allocation = held(fake)
    (fake.folder / "srun").write_text("#!/bin/sh\nenv\n")
    stepped, _ = allocation.step("host1", "true").communicate()
    for said in (
        (fake.folder / "asking").read_text(),
        stepped,
        allocation.slurm.output("env"),
    ):
        names = [line.partition("=")[0] for line in said.splitlines()]
        assert [name for name in names if name.startswith(("SLURM_", "SRUN_"))] == ["SLURM_CONF"]
    monkeypatch.delenv("SLURM_JOB_ID")  # the user's own settings, outside a job
    assert "SLURM_CPUS_PER_TASK=4" in allocation.slurm.output("env")


def test_nodes_are_returned_when_the_work_is_interrupted(fake: FakeSlurm) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        allocated(fake.slurm, REQUEST, lambda _: None),
    ):
        raise KeyboardInterrupt
    assert fake.called("scancel") == ["scancel 7"]


def test_a_job_left_by_a_killed_lab_is_ended_first(fake: FakeSlurm) -> None:
    fake.queue("RUNNING", after_cancel="CANCELLED")
    with allocated(fake.slurm, REQUEST, lambda _: None):
        assert fake.called("scancel") == ["scancel 7"]
        assert len(fake.called("salloc")) == 1


@pytest.mark.parametrize("completing", ["COMPLETING", ["CANCELLED", "COMPLETING"]])
def test_a_left_job_that_does_not_end_is_named(
    fake: FakeSlurm, clock: Clock, completing: States
) -> None:
    fake.queue("RUNNING", after_cancel=completing)
    clock.tick_s = module.END_LIMIT_S
    assert refusal(fake) == (
        "job 7 is left over from an earlier run and does not end; cancel it with scancel 7"
    )
    assert fake.called("scancel") == ["scancel 7"]
    assert fake.called("salloc") == []


def test_a_job_of_another_run_is_left_alone(fake: FakeSlurm) -> None:
    fake.queue("RUNNING")
    fake.name = "another"
    fake.queue("RUNNING", after_cancel="CANCELLED")
    held(fake)  # asserts that nothing was cancelled before


def test_the_reason_of_a_wait_is_reported_once(fake: FakeSlurm) -> None:
    fake.salloc(
        "salloc: Pending job allocation 7",
        state="PENDING",
        reason="Resources",
        then=until("[ -e told ] && [ $(grep -c ^squeue calls) -ge 8 ]"),
    )
    waits: list[str] = []

    def waiting(reason: str) -> None:
        waits.append(reason)
        (fake.folder / "told").touch()

    with allocated(fake.slurm, REQUEST, waiting):
        assert waits == ["Resources"]


@pytest.mark.parametrize("line", ["salloc: Pending job allocation 7", "salloc: not yet"])
def test_a_job_that_is_pending_for_ever_says_why(fake: FakeSlurm, clock: Clock, line: str) -> None:
    fake.salloc(line, state="PENDING", reason="ReqNodeNotAvail", then=WAITS)

    def a_day_passes(_: str) -> None:
        clock.now_s += MACHINES.wait_min * 60 + 1

    with (
        pytest.raises(SlurmError) as caught,
        allocated(fake.slurm, REQUEST, a_day_passes),
    ):
        pass
    assert str(caught.value) == (
        "the job 7 has waited in Slurm's queue for 1440 min (ReqNodeNotAvail); to wait longer, "
        "raise `wait_min` in the machines file"
    )
    assert fake.called("scancel") == ["scancel 7"]


def test_a_refused_job_has_slurms_own_words(fake: FakeSlurm) -> None:
    told = "Job submit/allocate failed: Invalid account or account/partition combination specified"
    fake.salloc(
        "salloc: error: invalid account or account/partition combination",
        f"salloc: error: {told}",
        state="",
        status=1,
    )
    assert refusal(fake) == f"salloc: {told}"
    assert fake.called("scancel") == []


def test_a_job_is_returned_if_salloc_fails_after_it_was_granted(fake: FakeSlurm) -> None:
    fake.salloc("salloc: Granted job allocation 7", "sh: ib: not found", status=127)
    assert "ib: not found" in refusal(fake)
    assert fake.called("scancel") == ["scancel 7"]


@pytest.mark.parametrize(
    "line",
    [
        "salloc: Job allocation 7 has been revoked.",
        "salloc: error: Job submit/allocate failed: Job/step already completing or completed",
    ],
)
def test_a_job_that_an_administrator_cancels_says_so(fake: FakeSlurm, line: str) -> None:
    fake.salloc(
        "salloc: Pending job allocation 7",
        line,
        state="CANCELLED",
        status=1,
    )
    assert refusal(fake) == (
        "Slurm's job 7 was cancelled (scancel) before it got nodes, by its user or an administrator"
    )


def test_no_slurm_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(
            UserMistake, match=(r"are missing on this machine; install them with: apt-get install")
        ),
        allocated(Slurm(), REQUEST, lambda _: None),
    ):
        pass


@pytest.mark.parametrize(
    ("state", "reason", "ended"),
    [
        ("RUNNING", "None", ""),
        ("CONFIGURING", "None", ""),
        ("COMPLETING", "TimeLimit", "COMPLETING TimeLimit"),
        ("CANCELLED", "None", "CANCELLED"),
        ("TIMEOUT", "TimeLimit", "TIMEOUT TimeLimit"),
        ("NODE_FAIL", "None", "NODE_FAIL"),
        (["PREEMPTED", "COMPLETING"], "None", "PREEMPTED"),
        (["RUNNING", "CONFIGURING"], "None", ""),
        ("SIGNALING", "None", ""),
        ("", "", "Slurm no longer has a record of the job"),
    ],
)
def test_why_a_job_no_longer_holds_its_nodes(
    fake: FakeSlurm, clock: Clock, state: States, reason: str, ended: str
) -> None:
    clock.tick_s = module.COMPLETING_LIMIT_S
    fake.queue(state, reason)
    assert Allocation(fake.slurm, 7, ("host1",)).ended() == ended


def test_the_state_after_completing_says_why_a_job_ended(fake: FakeSlurm, clock: Clock) -> None:
    def completed(_: float) -> None:
        fake.queue("TIMEOUT", "TimeLimit")

    fake.queue("COMPLETING", "None")
    clock.sleep = completed  # type: ignore[method-assign]
    assert Allocation(fake.slurm, 7, ("host1",)).ended() == "TIMEOUT TimeLimit"


def test_a_step_runs_on_its_host_within_the_job(fake: FakeSlurm) -> None:
    out, _ = Allocation(fake.slurm, 7, ("host1",)).step("host1", "true", "x").communicate()
    assert out == "stepped\n"
    assert fake.called("srun") == [
        "srun --jobid=7 --nodes=1 --ntasks=1 --nodelist=host1 --overlap --mem=0 --cpu-bind=none "
        "--input=none true x"
    ]


def test_the_hosts_of_a_role_are_those_of_its_component(fake: FakeSlurm) -> None:
    roles: tuple[HostRole, ...] = ("generator", "service", "database")
    machines = MACHINES.model_copy(update={"roles": {role: Needs() for role in roles}})
    entry = {"job_state": "RUNNING", "name": "run", "state_reason": "", "het_job_id": 7}
    jobs = [
        {**entry, "job_id": 7 + part, "het_job_offset": part, "nodes": f"host{part + 1}"}
        for part in (1, 0, 2)
    ]
    (fake.folder / "asked.json").write_text(json.dumps({"jobs": jobs}))
    fake._write("scontrol", 'echo "$3"')
    with allocated(fake.slurm, JobRequest("run", machines, roles), lambda _: None) as held:
        assert held.hosts == ("host1", "host2", "host3")
        assert held.roles == {
            "generator": ("host1",),
            "service": ("host2",),
            "database": ("host3",),
        }
        assert "--het-group=1" in held.host_words("host2")


def test_a_job_without_a_component_for_each_role_is_returned(fake: FakeSlurm) -> None:
    roles: tuple[HostRole, ...] = ("generator", "service")
    machines = MACHINES.model_copy(update={"roles": {role: Needs() for role in roles}})
    with (
        pytest.raises(SlurmError, match=r"squeue shows 1 components of job 7, .* generator, serv"),
        allocated(fake.slurm, JobRequest("run", machines, roles), lambda _: None),
    ):
        pass
    assert fake.called("scancel") == ["scancel 7"]


def test_each_component_says_why_it_waits(fake: FakeSlurm) -> None:
    """As Slurm does: the first component waits for the others, which wait for nodes."""
    entry = {"job_state": ["PENDING"], "name": "run", "nodes": "", "het_job_id": {"number": 7}}
    jobs = [
        {**entry, "job_id": 7 + part, "het_job_offset": {"number": part}, "state_reason": reason}
        for part, reason in enumerate(("None", "ReqNodeNotAvail", "Resources", "Resources"))
    ]
    fake.salloc("salloc: Pending job allocation 7", then=until("[ -e told ]"), status=1)
    (fake.folder / "asked.json").write_text(json.dumps({"jobs": jobs}))
    waits: list[str] = []

    def waiting(reason: str) -> None:
        waits.append(reason)
        (fake.folder / "told").touch()

    with pytest.raises(SlurmError), allocated(fake.slurm, REQUEST, waiting):
        pass
    assert waits == ["ReqNodeNotAvail; Resources"]
