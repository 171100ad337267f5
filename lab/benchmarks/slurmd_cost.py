"""The cost of Slurm on a host that measures: calibrations with slurmd stopped, running and polling.

    PYTHONPATH=lab python lab/benchmarks/slurmd_cost.py [ROUNDS]

As root, with Slurm installed. A simulated cluster of one host runs a real Slurm. All processes of
the host (slurmd, munge and the step of a job) run on the processor on which the reference loop is
measured, which is the worst case. slurmctld runs on another processor. A round calibrates once in
each of these states:

- stopped: slurmd and munge are stopped (SIGSTOP);
- running: a step runs whose processes Slurm does not poll, as on the hosts of `cluster start`;
- polling: Slurm reads the use of the step's processes every second. Its default is 30 s.

In both of the last states, slurmctld asks slurmd every 7 s whether it lives. With Slurm's default
settings, it asks every 100 s.

Prints for each state the median noise floors, the times of the reference loop relative to the
stopped state, the CPU time of Slurm's processes on the host, and the foreign time that the launcher
saw, which the fairness check `foreign_time` judges. All shares are shares of the processor's time.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paired_rounds import Ratio, rounds
from runfair.fleet.cluster import start, stop
from runfair.fleet.cluster_daemons import SlurmFiles, processes_within, slurm_of
from runfair.fleet.cluster_state import ClusterHost, ClusterState, Declared, cluster_folder
from runfair.formats.host import Calibration
from runfair.machine.calibration import LaunchedReference, Reference, ReferenceRun, measure
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, REFERENCE, build_native
from runfair.machine.processors import pin_self
from runfair.statistics.noise_floor import RECOMMENDED_PAIRS

ROUNDS = 10
STATES = ("stopped", "running", "polling")
HOST = "host1"
DECLARED = Declared(hosts=1)
NOT_POLLED, POLLED = "task=0", "task=1"
STEP = ("sleep", "infinity")
STEP_DAEMON = "slurmstepd"
STEP_LIMIT_S = 30.0
SETTLING_S = 1.0
PROCESS_CLOCK = 2  # the CPU clock of a process by its number (clock_getcpuclockid(3))


@dataclass(frozen=True)
class Cost:
    """What a state did to a calibration. `engine_share` is the CPU time of Slurm's processes."""

    calibration: Calibration
    wall_ns: float
    cpu_ns: float
    engine_share: float


@dataclass(frozen=True)
class Host:
    """The only host of the cluster that measures."""

    state: ClusterState
    reference: Reference

    @property
    def host(self) -> ClusterHost:
        return self.state.host(HOST)

    @property
    def processors(self) -> list[int]:
        return sorted(os.sched_getaffinity(self.host.holder.pid))

    def cost(self, state: str) -> Cost:
        with self._stopped() if state == "stopped" else self._step(state):
            runs: list[ReferenceRun] = []
            launched = LaunchedReference(self.reference)

            def kept(processors: Sequence[int]) -> ReferenceRun:
                runs.append(launched(processors))
                return runs[-1]

            engine = _engine(self.host)
            began_ns, before_ns = time.monotonic_ns(), cpu_ns(engine)
            calibration = measure(kept, self.processors, RECOMMENDED_PAIRS, [])
            used_ns = cpu_ns(engine) - before_ns
            return Cost(
                calibration,
                statistics.median(one.wall_ns for one in runs),
                statistics.median(one.cpu_ns for one in runs),
                used_ns / (time.monotonic_ns() - began_ns),
            )

    @contextmanager
    def _stopped(self) -> Iterator[None]:
        """The controller is stopped too, because it would report a host that does not answer."""
        engine = [*_engine(self.state.control), *_engine(self.host)]
        for pid in engine:
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(SETTLING_S)
            yield
        finally:
            for pid in engine:
                os.kill(pid, signal.SIGCONT)

    @contextmanager
    def _step(self, state: str) -> Iterator[None]:
        slurm = slurm_of(self.state)
        frequency = f"--acctg-freq={POLLED if state == 'polling' else NOT_POLLED}"
        command = slurm.command("srun", "--nodes=1", frequency, *STEP)
        # srun reports that the step is cancelled.
        with subprocess.Popen(command, stderr=subprocess.DEVNULL):
            try:
                self._wait_for_step(begun=True)
                yield
            finally:
                slurm.cancel(*(job.number for job in slurm.jobs() if not job.ended))
        self._wait_for_step(begun=False)

    def _wait_for_step(self, *, begun: bool) -> None:
        """Waits until the step runs, or until none of its processes is left."""
        deadline_s = time.monotonic() + STEP_LIMIT_S
        wanted = {STEP[0]} if begun else {STEP[0], STEP_DAEMON}
        while any(name(pid) in wanted for pid in processes_within(self.host)) != begun:
            if time.monotonic() > deadline_s:
                raise SystemExit(
                    f"the step did not {'start' if begun else 'end'} within {STEP_LIMIT_S:.0f} s"
                )
            time.sleep(0.1)
        time.sleep(SETTLING_S)


def _engine(host: ClusterHost) -> list[int]:
    """The processes on a host but the holder of its namespaces."""
    return [pid for pid in processes_within(host) if pid != host.holder.pid]


def name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def cpu_ns(processes: Sequence[int]) -> int:
    """The CPU time of these processes, including threads that have ended."""
    return sum(time.clock_gettime_ns((~pid << 3) | PROCESS_CLOCK) for pid in processes)


@contextmanager
def cluster() -> Iterator[ClusterState]:
    """A cluster of one host, on which Slurm can poll the processes of steps."""
    with tempfile.TemporaryDirectory(prefix="slurmd-", dir="/tmp") as folder:
        os.environ["RUNFAIR_PRIVATE"] = folder
        try:
            state = start(DECLARED)
            path = SlurmFiles(cluster_folder()).configuration
            path.write_text(path.read_text().replace("jobacct_gather/none", "jobacct_gather/linux"))
            for host in state.hosts:
                end_daemons(host)
            yield start(DECLARED)
        finally:
            stop()


def end_daemons(host: ClusterHost) -> None:
    """Ends Slurm's processes on a host, and waits until they are gone."""
    while found := _engine(host):
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def keep_apart(state: ClusterState, measured: Sequence[int]) -> None:
    """Moves the controller and this program away from the measured processor."""
    others = os.sched_getaffinity(0) - {*measured}
    if not others:
        raise SystemExit("slurmd_cost needs at least two processors")
    pin_self(others)
    for pid in _engine(state.control):
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), others)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    launcher, executable = Launcher(build_native(LAUNCHER)), build_native(REFERENCE)
    with cluster() as state, tempfile.TemporaryDirectory() as scratch:
        host = Host(state, Reference(launcher, executable, Path(scratch)))
        keep_apart(state, host.processors)
        found = list(rounds(STATES, host.cost, number))
    for state_name in STATES:
        costs = [one[state_name] for one in found]
        plain = [one["stopped"] for one in found]
        told = [one.calibration for one in costs]
        print(
            f"{state_name:8} "
            f"floor {median(one.noise_floor_cpu for one in told):.2%} CPU, "
            f"{median(one.noise_floor_wall for one in told):.2%} wall · "
            f"CPU {shown(Ratio.of([c.cpu_ns for c in costs], [c.cpu_ns for c in plain]))} · "
            f"wall {shown(Ratio.of([c.wall_ns for c in costs], [c.wall_ns for c in plain]))} · "
            f"Slurm {median(one.engine_share for one in costs):.4%} · "
            f"foreign {median(one.foreign_share for one in told):.4%}"
        )


def median(values: Iterator[float]) -> float:
    return statistics.median(values)


def shown(ratio: Ratio) -> str:
    if ratio.typical is None:
        return f"× {statistics.median(ratio.each):.4f}"
    found = ratio.typical
    return f"× {found.value:.4f} [{found.low:.4f}, {found.high:.4f}]"


if __name__ == "__main__":
    main()
