"""`run` and `resume` over hosts: what is refused, what is printed, what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from experiment.plans import host
from fleet.fake_slurm import FakeSlurm, until
from fleet.fleet_runs import FakeHosts, carried_out, service_plan, small_plan
from runfair.cli import calibrate as calibrating
from runfair.cli import fleet as module
from runfair.cli.fleet import (
    complete_over,
    hosts_of,
    measure_over,
    print_jobs,
    reached,
    refuse_peaks,
)
from runfair.errors import UserMistake
from runfair.fleet import allocation
from runfair.fleet.allocation import Allocation
from runfair.fleet.machines import keep
from runfair.fleet.matrix import OnLine
from runfair.formats.host import Host, KnownHost
from runfair.formats.machines import Machines, Needs
from runfair.formats.peak import Peak
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.formats.variant import Entry
from runfair.machine.native import LAUNCHER, REFERENCE

PLAN = small_plan()


def machines(partition: str = "measure", hosts: int = 2, enter: tuple[str, ...] = ()) -> Machines:
    return Machines(
        engine="slurm",
        enter=list(enter),
        partition=partition,
        roles={"service": Needs(hosts=hosts)},
    )


class Cluster(FakeHosts):
    """Two hosts that Slurm grants at once. `asked` are the files of machines that it was asked
    for, and `wanted` the roles of the last request."""

    def __init__(self) -> None:
        super().__init__(carried_out, "host1", "host2")
        self.asked: list[Machines] = []
        self.wanted: tuple[str, ...] = ()

    @contextmanager
    def granted(
        self, target: Machines, _: str, roles: tuple[str, ...] = ()
    ) -> Iterator[tuple[Allocation, dict[str, Host]]]:
        self.asked.append(target)
        self.wanted = roles
        yield self.allocation, {name: host(name=name, boot_id=name) for name in self.hosts}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    hosts = Cluster()
    monkeypatch.setattr(module, "hosts_of", hosts.granted)
    return hosts


def test_a_peak_is_refused_by_name() -> None:
    cells = [PLAN.cells[0].model_copy(update={"mode": "steady", "benchmark": "techempower"})]
    peak = Peak(connections=8, traffic="requests.txt", traffic_sha256="0" * 64)
    plan = PLAN.model_copy(update={"cells": [cells[0].model_copy(update={"peak": peak})]})
    with pytest.raises(UserMistake, match="of techempower on a single machine"):
        refuse_peaks(plan)
    refuse_peaks(PLAN)


def test_the_jobs_are_printed_and_not_requested(capsys: pytest.CaptureFixture[str]) -> None:
    target = machines(enter=("ssh", "head"))
    target.roles["database"] = Needs()
    print_jobs(PLAN, target)
    first, job, step, unused = capsys.readouterr().out.splitlines()
    assert first == (
        "the run has 10 executions in 4 portions (groups of executions); each portion runs on one "
        "of 2 hosts"
    )
    assert job.startswith("ssh head salloc --no-shell")
    assert "--nodes=2" in job
    assert step.startswith("ssh head srun --jobid=JOB")
    assert step.endswith("runfair.fleet.worker portion RUN/portions/N")
    assert "the role database" in unused


def test_services_need_hosts_of_each_role(capsys: pytest.CaptureFixture[str]) -> None:
    plan, target = service_plan(), machines()
    with pytest.raises(UserMistake, match=r"--machines: \[roles.generator\] is missing"):
        measure_over(plan, target, Path("/nowhere"))
    roles = {"generator": Needs(), "service": Needs(processors=2)}
    print_jobs(plan, target.model_copy(update={"roles": roles}))
    (job,) = [line for line in capsys.readouterr().out.splitlines() if "salloc" in line]
    generator, service = job.split(" : ")
    assert "--mincpus=1" in generator
    assert "--mincpus=2" in service


def test_hosts_are_calibrated_and_listed(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = tmp_path / "machines.toml"
    target.write_text('engine = "slurm"\npartition = "measure"\n[roles.service]\nhosts = 2\n')
    with target.open("a") as file:
        file.write("[roles.lab]\nnode = 'head'\n[roles.database]\n[roles.generator]\n")
    said: list[str] = []
    entry = Entry(name="host1", language="", state="ready", detail="noise floor 1%")
    monkeypatch.setattr(calibrating, "machine_entries", lambda _: [entry])
    monkeypatch.setattr(calibrating, "print_entries", lambda one: said.append(one[0].detail))
    calibrating.calibrate(machines=target)
    assert [one.partition for one in cluster.asked] == ["measure"]
    assert cluster.wanted == ("service", "database", "generator")
    assert said == ["noise floor 1%"]


def test_a_run_over_hosts_is_complete_and_names_its_hosts(cluster: Cluster, tmp_path: Path) -> None:
    folder = measure_over(PLAN, machines(), tmp_path)
    assert {one.planned for one in folder.executions()} == {one.id for one in PLAN.executions}
    assert [one.name for one in folder.hosts()] == ["host1", "host2"]
    assert folder.machines() == machines()
    assert cluster.asked == [machines()]


@pytest.mark.usefixtures("cluster")
def test_hosts_of_services_have_roles_and_a_clock_without_a_time_service_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    apart = {"generator": ("host1",), "service": ("host2",)}
    monkeypatch.setattr(Cluster, "roles", apart)
    for name, kept in (("host1", True), ("host2", False)):
        keep(name, KnownHost(host=host(name=name, clock_kept=kept)))
    target = machines(hosts=1)
    target.roles["generator"] = Needs()
    folder = measure_over(service_plan(), target, tmp_path / "results")
    stored = [Host.model_validate_json(one.read_bytes()) for one in folder.path.glob("machines/*")]
    assert {one.name: one.role for one in stored} == {"host1": "generator", "host2": "service"}
    assert [one.name for one in folder.hosts()] == ["host2"]  # figures are measured here alone
    said = " ".join(capsys.readouterr().err.split())
    assert "no time service (NTP or PTP) adjusts the clocks of host2: runfair measures" in said


def interrupted(cluster: Cluster, results: Path) -> RunFolder:
    """A run whose job ended in the middle of its first portions."""

    def ends(name: str, folder: RunFolder) -> tuple[int, str]:
        cluster.end = "CANCELLED by administrator"
        carried_out(name, folder, most=1)
        return 1, "srun: error: STEP CANCELLED"

    cluster.work = ends
    with pytest.raises(UserMistake, match=r"job 7 ended .*\(CANCELLED by administrator\)"):
        measure_over(plan_of_blocks(), machines(), results)
    cluster.work, cluster.end = carried_out, ""
    return RunFolder.find("latest", results)


def plan_of_blocks() -> Plan:
    return small_plan(executions=8, pilots=0)


def test_an_interrupted_run_says_how_it_is_completed(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = interrupted(cluster, tmp_path)
    said = " ".join(capsys.readouterr().err.split())
    assert f"{len(folder.executions())} of 16 executions are measured and stored" in said
    assert "./runfair resume" in said


def test_a_run_is_completed_on_the_hosts_where_it_began(cluster: Cluster, tmp_path: Path) -> None:
    folder = interrupted(cluster, tmp_path)
    complete_over(folder, folder.plan(), None)
    assert {one.planned for one in folder.executions()} == {
        one.id for one in plan_of_blocks().executions
    }
    assert cluster.asked == [machines(), machines()]


def test_a_run_is_completed_on_other_hosts_that_a_file_names(
    cluster: Cluster, tmp_path: Path
) -> None:
    folder = interrupted(cluster, tmp_path / "results")
    other = tmp_path / "machines.toml"
    other.write_text('engine = "slurm"\npartition = "other"\n[roles.service]\n')
    complete_over(folder, folder.plan(), other)
    assert [one.partition for one in cluster.asked] == ["measure", "other"]
    other.write_text("")
    with pytest.raises(
        UserMistake, match="this run began on several hosts; name these hosts with --machines FILE"
    ):
        complete_over(folder, folder.plan(), other)


def test_what_slurm_lacks_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeSlurm(tmp_path)
    enter = fake.slurm.enter
    assert reached(machines(enter=enter)) == fake.slurm
    with pytest.raises(UserMistake, match="no partition nope; its partitions are measure"):
        reached(machines("nope", enter=enter))
    of_programs = machines(enter=enter)
    of_programs.roles["database"] = Needs(hosts=9)
    assert reached(of_programs) == fake.slurm
    with pytest.raises(UserMistake, match="database needs 9 hosts, but only 3 of the 3 nodes"):
        reached(of_programs, ("service", "database"))
    with pytest.raises(UserMistake, match="service needs 4 hosts, but only 3 of the 3 nodes"):
        reached(machines(hosts=4, enter=enter))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(UserMistake, match="are missing on this machine"):
        reached(machines())


def test_the_wait_for_nodes_is_printed_with_slurms_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(allocation, "POLL_S", 0.02)
    monkeypatch.setattr(module, "private_folder", lambda: tmp_path)
    fake = FakeSlurm(tmp_path, name="runfair-1")
    fake.salloc(
        "salloc: Pending job allocation 7",
        state="PENDING",
        reason="Resources",
        then=until("[ $(grep -c ^squeue calls) -ge 6 ]"),
    )

    def none(_allocation: object, _scratch: Path, on_line: OnLine) -> dict[str, Host]:
        on_line("host2 cannot measure: no node")
        return {"host1": host(name="host1")}

    monkeypatch.setattr(module, "describe_hosts", none)
    built: list[str] = []
    monkeypatch.setattr(module, "build_native", built.append)
    with hosts_of(machines(enter=fake.slurm.enter), "runfair-1") as (granted, hosts):
        assert (granted.number, [*hosts]) == (7, ["host1"])
    said = capsys.readouterr().err
    assert said.count("the job waits in Slurm's queue; Slurm gives this reason: Resources") == 1
    assert "host2 cannot measure: no node" in said
    assert fake.called("scancel") == ["scancel 7"]
    assert built == [LAUNCHER, REFERENCE]  # the hosts need no compiler
