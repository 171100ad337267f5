"""A cluster on this machine with a real Slurm. The hosts of the cluster are made of namespaces.
This module starts, stops and describes the cluster.

The cluster is a process tree inside one PID namespace, whose first process is called the holder.
Until `start` has completed, the holder ends when `start` ends, so that an interrupted start leaves
nothing behind. When `start` has completed, the holder keeps running. `stop` kills the holder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from runfair.building.build_folder import locked
from runfair.errors import UserMistake
from runfair.fleet import holder
from runfair.fleet.cluster_daemons import (
    DAEMONS,
    PARTITION,
    HostName,
    SlurmFiles,
    entered,
    host_names,
    slurm_of,
    start_daemons,
)
from runfair.fleet.cluster_network import Impairment, connect, impair, limit_rate
from runfair.fleet.cluster_state import (
    STATE_FILE,
    ClusterHost,
    ClusterState,
    Declared,
    Process,
    boot_id,
    cluster_folder,
    read_state,
)
from runfair.fleet.machines import MACHINES_FILE, slurm_target_text
from runfair.fleet.slurm import NEEDED, require_installed
from runfair.formats.kept_file import write_whole
from runfair.formats.machines import PROGRAM_ROLE, SERVICE_ROLES, HostRole

SERVICES_FILE = "services.toml"
HOLDER_LIMIT_S = 30.0
READY_LIMIT_S = 120.0
POLL_S = 0.3

OnStep = Callable[[str], None]


def start(declared: Declared, on_step: OnStep = lambda _: None) -> ClusterState:
    """Starts the declared cluster. If the cluster already runs, it is returned, and daemons that
    have died are started again.

    Raises UserMistake if the lab is not root, if Slurm is not installed, if another cluster runs,
    or if the kernel does not support the declaration.
    """
    if os.geteuid():
        raise UserMistake(
            "cluster start: the simulated hosts are network namespaces, which only root can "
            "make; run the command as root"
        )
    require_installed((*NEEDED, *DAEMONS))
    folder = cluster_folder()
    with locked(
        folder.with_suffix(".lock"), lambda: on_step("another ./runfair cluster start or stop")
    ):
        state = read_state(folder)
        if state is not None and state.declared != declared:
            raise UserMistake(
                f"a cluster of {state.declared.hosts} hosts with other options is already "
                "running; stop it first with ./runfair cluster stop"
            )
        if state is None:
            shutil.rmtree(folder, ignore_errors=True)
            return _Start(declared, SlurmFiles(folder), on_step).started()
        for host in state.hosts:
            if not host.holder.lives:
                raise UserMistake(
                    f"the simulated host {host.name} has ended; use ./runfair cluster stop, and "
                    "then start the cluster again"
                )
            start_daemons(SlurmFiles(folder), host)
        _wait_until_ready(state, on_step)
        return state


def stop() -> bool:
    """Ends every process of the cluster and removes its folder. Returns whether a cluster was
    running. Raises UserMistake if there is a cluster, but the lab is not root.
    """
    folder = cluster_folder()
    if os.geteuid():
        if not folder.exists():
            return False
        raise UserMistake("cluster stop: the cluster belongs to root; run the command as root")
    with locked(folder.with_suffix(".lock")):
        state = read_state(folder)
        if state is not None:
            state.holder.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return state is not None


@dataclass
class _Start:
    declared: Declared
    files: SlurmFiles
    on_step: OnStep
    _holders: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def started(self) -> ClusterState:
        self.files.require_path()
        available = sorted(os.sched_getaffinity(0))
        wanted = self.declared.hosts * self.declared.processors
        shared = wanted > len(available)
        if self.declared.processors > len(available):
            raise UserMistake(
                f"--processors {self.declared.processors}: runfair can use only {len(available)} "
                f"processors of this machine; give at most {len(available)}"
            )
        names = host_names(self.declared.hosts)
        memory_mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        self.files.write(names, self.declared.processors, memory_mib)
        self.on_step("hosts")
        with self._whole() as whole:
            hosts = []
            for name in names:
                first = (name.number - 1) * self.declared.processors
                own = available[first : first + self.declared.processors]
                hosts.append(self._host(name, whole, [] if shared or name.number == 0 else own))
            self._connect(whole, hosts)
            state = ClusterState(
                boot_id=boot_id(),
                declared=self.declared,
                holder=whole,
                hosts=hosts,
                shared_processors=shared,
            )
            self.on_step("munge and Slurm")
            for host in hosts:
                start_daemons(self.files, host)
            _wait_until_ready(state, self.on_step)
            self._write_machines(entered(state.control, self.files))
            write_whole(self.files.folder / STATE_FILE, state.model_dump_json(indent=1) + "\n")
            self._stay()
        return state

    def _write_machines(self, enter: Sequence[str]) -> None:
        """Writes the files that name the cluster's hosts for programs and, if there are enough
        hosts, for services."""
        hosts, processors = self.declared.hosts, self.declared.processors
        files: dict[str, dict[HostRole, int]] = {MACHINES_FILE: {PROGRAM_ROLE: hosts}}
        if each := hosts // len(SERVICE_ROLES):
            files[SERVICES_FILE] = dict.fromkeys(SERVICE_ROLES, each)
        for name, roles in files.items():
            text = slurm_target_text(enter, PARTITION, roles, processors)
            (self.files.folder / name).write_text(text)

    @contextmanager
    def _whole(self) -> Iterator[Process]:
        """The cluster's holder. If the code inside the context fails, the whole cluster
        is ended.
        """
        whole = self._held([], "cluster", ["--with-maker"])
        try:
            yield whole
        except BaseException:
            whole.kill()
            shutil.rmtree(self.files.folder, ignore_errors=True)
            raise

    def _host(self, name: HostName, whole: Process, processors: list[int]) -> ClusterHost:
        options = [f"--bind={self.files.own(name.name)}:{self.files.local}"]
        options.append(f"--bind={self.files.host_table}:/etc/hosts")
        if processors:
            options.append(f"--processors={','.join(map(str, processors))}")
        if self.declared.clock_step_ns and name.number:
            options.append(f"--clock-ahead-ns={self.declared.clock_step_ns * name.number}")
        inside = ["nsenter", "--target", str(whole.pid), "--pid"]
        process = self._held(inside, name.name, options)
        return ClusterHost(name=name.name, address=name.address, holder=process)

    def _held(self, before: list[str], name: str, options: list[str]) -> Process:
        """A new holder with its namespaces. Raises UserMistake if the namespaces cannot be made."""
        process = subprocess.Popen(
            [*before, sys.executable, "-I", holder.__file__, name, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._holders.append(process)
        assert process.stdout is not None
        said = process.stdout.readline().decode().strip()
        if not said.isdigit():
            raise UserMistake(
                "the network namespaces of the cluster cannot be made "
                f"({said or 'the kernel gave no reason'})"
            )
        process.wait(HOLDER_LIMIT_S)
        try:
            return Process.of(int(said))
        except ProcessLookupError:
            raise UserMistake(
                "the network namespaces of the cluster cannot be made, because the process that "
                f"should hold the namespaces of {name} ended at once; try again"
            ) from None

    def _connect(self, whole: Process, hosts: Sequence[ClusterHost]) -> None:
        """Connects the hosts. Both directions of a link are limited, each at its sender."""
        links = [(one.name, one.address, one.holder.pid) for one in hosts]
        connect(whole.pid, links)
        declared, numbers = self.declared, range(len(links))
        impairments = [Impairment(declared.delay_of(n), declared.loss_of(n)) for n in numbers]
        impaired = any(any(one) for one in impairments)
        by_netem = impair(whole.pid, links, impairments) if impaired else False
        rate = declared.rate_mbit_per_s
        if rate is not None:
            limit_rate(links, rate, after_netem=by_netem)

    def _stay(self) -> None:
        first = self._holders[0]
        assert first.stdin is not None
        first.stdin.write(holder.STAY)
        first.stdin.flush()
        for one in self._holders:
            for stream in (one.stdin, one.stdout):
                assert stream is not None
                stream.close()


def _wait_until_ready(state: ClusterState, on_step: OnStep) -> None:
    """Waits until Slurm reports every host as usable. Raises UserMistake with Slurm's reason if
    that takes too long.
    """
    on_step("the hosts to become ready")
    slurm = slurm_of(state)
    deadline_s = time.monotonic() + READY_LIMIT_S
    problem = ""
    while time.monotonic() < deadline_s:
        try:
            unready = [one for one in slurm.nodes() if not one.usable]
        except UserMistake as error:
            problem = str(error)
        else:
            if not unready:
                return
            problem = "; ".join(f"{one.name}: {one.problem}" for one in unready)
        time.sleep(POLL_S)
    raise UserMistake(
        f"the hosts of the cluster did not become ready within {READY_LIMIT_S:.0f} s ({problem})"
    )
