"""Runs over several hosts that lose a host, their allocation, the controller or the lab: nothing
recorded is lost, the run is completed, and no process is left on any host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fleet.clusters import daemon, foreign_processes, private_cluster
from laboratory import Lab, wait_until
from programs import HONEST
from runfair.catalogue.benchmark import benchmarks
from runfair.fleet.cluster_daemons import SlurmFiles, running_daemons, slurm_of, start_daemons
from runfair.fleet.cluster_state import ClusterState, Declared, cluster_folder
from runfair.fleet.slurm import Slurm

pytestmark = pytest.mark.long
Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]

VARIANTS = ("one-1.0", "two-1.0")
EXPERIMENT = f"""
about = "blocks that last long enough to be interrupted"

[[measure]]
benchmarks = ["sort"]
workloads = ["classic"]
variants = {json.dumps(VARIANTS)}
modes = ["cold"]

[profiles.smoke]
executions = 6
max_seconds = 1
timeout_seconds = 600
"""
# A program that mostly sleeps, so that a busy machine changes little. While there is a file PAUSE,
# it sleeps on.
SLEEPY = HONEST.replace(
    "start()\n",
    "start()\ntime.sleep(1.5)\nwhile os.path.exists('PAUSE'): time.sleep(0.1)\n",
)
LIMIT_S = 900.0  # another run on this machine may hold the measurement lock for long
END_LIMIT_S = 60.0


@dataclass
class Fleet:
    """A lab with a cluster of two hosts, and a run that is under way on it."""

    lab: Lab
    state: ClusterState
    process: subprocess.Popen[str]
    pause: Path

    @property
    def slurm(self) -> Slurm:
        return slurm_of(self.state)

    @property
    def files(self) -> SlurmFiles:
        return SlurmFiles(cluster_folder())

    def mid_block(self) -> tuple[str, set[str]]:
        """Waits until a host is in the middle of a block. Returns the host, and the executions
        that are recorded by then."""
        found: list[str] = []

        def begun() -> bool:
            assert self.process.poll() is None, self.process.communicate()[1]
            paths = self.lab.results.glob("*/portions/*/executions.jsonl")
            found[:] = [path.parent.name.rpartition("-")[2] for path in paths if lines(path)]
            return bool(found)

        wait_until(begun, LIMIT_S)
        return found[0], self.recorded()

    def recorded(self) -> set[str]:
        """The executions recorded by the run, and by its hosts' portions."""
        (run,) = self.lab.results.iterdir()
        paths = [*run.glob("portions/*/executions.jsonl"), run / "executions.jsonl"]
        return {one["id"] for path in paths for one in lines(path)}

    def job(self) -> int:
        (job,) = [one for one in self.slurm.jobs() if one.holds_nodes]
        return job.number

    def ended(self) -> str:
        """What the lab said by its end."""
        _, said = self.process.communicate(timeout=LIMIT_S)
        assert "Traceback" not in said
        return said

    def require_whole(self, before: set[str]) -> None:
        """The run is complete, with all that was recorded before, and nothing is left behind."""
        done = self.lab.start("resume", "latest", "--json")
        out, said = done.communicate(timeout=LIMIT_S)
        assert done.returncode in (0, 3), said
        assert json.loads(out)["complete"]
        run = self.lab.run_folder()
        records = self.lab.executions()
        names = [one["id"] for one in records]
        assert len(names) == len(set(names))
        assert before <= set(names)
        for name in names:
            assert (run / "raw" / name / "stdout").exists(), name
            assert (run / "iterations" / f"{name}.jsonl").exists(), name
        counting = {one["planned"]: one for one in records}
        assert set(counting) == {one["id"] for one in self.lab.plan()["executions"]}
        hosts: dict[int, set[str]] = {}
        for one in counting.values():
            hosts.setdefault(one["block"], set()).add(one["host"])
        assert all(len(each) == 1 for each in hosts.values()), hosts
        assert list((run / "portions").iterdir()) == []
        wait_until(lambda: foreign_processes(self.state) == [], END_LIMIT_S)
        assert not any(one.holds_nodes for one in self.slurm.jobs())
        assert self.judged_elsewhere(run) == json.loads(out)

    def judged_elsewhere(self, run: Path) -> Any:
        """The result of the run's folder alone, by a lab that does not know its runtimes."""
        laptop = Lab(self.lab.scratch / "laptop")
        laptop.scratch.mkdir()
        moved = run.rename(laptop.scratch / run.name)
        done = laptop("report", str(moved), "--json")
        assert done.returncode in (0, 3), done.stderr
        moved.rename(run)
        return json.loads(done.stdout)


def lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; empty without one."""
    try:
        whole = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in whole]


@pytest.fixture
def fleet(lab: Lab, background: Keep, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """A run over two hosts."""
    with private_cluster(Declared(hosts=2), monkeypatch) as (state, own):
        pause = own / "pause"
        answer = benchmarks()["sort"].answer("classic", "tiny", 1)
        assert answer is not None
        for name in ("one", "two"):
            program = SLEEPY.replace("DIGEST", str(answer.digest))
            lab.add_runtime(name, program.replace("PAUSE", str(pause)))
        machines = cluster_folder() / "machines.toml"
        words = ("run", lab.experiment(EXPERIMENT), "--profile", "smoke", "--json")
        process = background(lab.start(*words, "--machines", str(machines)))
        yield Fleet(lab, state, process, pause)


def test_a_host_dies_in_the_middle_of_a_block(fleet: Fleet) -> None:
    host, before = fleet.mid_block()
    os.kill(fleet.state.host(host).holder.pid, signal.SIGKILL)
    assert f"{host}: " in fleet.ended()
    assert fleet.process.returncode in (0, 3)
    fleet.require_whole(before)
    assert "the run is complete" in fleet.lab("resume", "latest").stderr


@pytest.mark.parametrize("how", ["cancelled", "time limit"])
def test_the_allocation_ends(fleet: Fleet, how: str) -> None:
    _, before = fleet.mid_block()
    job = fleet.job()
    if how == "cancelled":
        fleet.slurm.cancel(job)
    else:
        # Slurm looks at time limits once in a while, and the run must not end before.
        fleet.pause.touch()
        fleet.slurm.output("scontrol", "update", f"JobId={job}", "TimeLimit=1")
    said = fleet.ended()
    fleet.pause.unlink(missing_ok=True)
    assert fleet.process.returncode == 2, said
    reason = "CANCELLED" if how == "cancelled" else "TIMEOUT TimeLimit"
    assert f"job {job} ended before the run was complete ({reason})" in said
    assert "./runfair resume" in said
    assert before <= fleet.recorded()
    fleet.require_whole(before)


def test_the_controller_is_restarted(fleet: Fleet) -> None:
    _, before = fleet.mid_block()
    control = fleet.state.control
    os.kill(daemon(fleet.state, control.name, "slurmctld"), signal.SIGKILL)
    wait_until(lambda: "slurmctld" not in running_daemons(control), END_LIMIT_S)
    start_daemons(fleet.files, control)
    said = fleet.ended()
    assert fleet.process.returncode in (0, 3), said
    fleet.require_whole(before)


def test_the_lab_is_killed(fleet: Fleet) -> None:
    _, before = fleet.mid_block()
    fleet.process.send_signal(signal.SIGKILL)
    fleet.process.wait()
    assert before <= fleet.recorded()
    fleet.require_whole(before)


def test_the_lab_is_interrupted(fleet: Fleet) -> None:
    _, before = fleet.mid_block()
    fleet.process.send_signal(signal.SIGINT)
    assert "./runfair resume" in fleet.ended()
    assert fleet.process.returncode == 130
    wait_until(lambda: foreign_processes(fleet.state) == [], END_LIMIT_S)
    assert before <= fleet.recorded()
    fleet.require_whole(before)
