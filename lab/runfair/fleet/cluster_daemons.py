"""The daemons of a private cluster, munge and Slurm on each of its hosts, and their files:
configuration, host names and munge key."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.fleet.cluster_state import ClusterHost, ClusterState, cluster_folder
from runfair.fleet.slurm import Slurm

PARTITION = "measure"
CONTROL = "control"
NETWORK = "10.77"  # used only inside the cluster's own network namespaces
KEY_BYTES = 1024
SOCKET_LENGTH = 100  # a socket's path has at most 107 bytes (unix(7)); munged appends a suffix
# A blank, a comma or a quote ends a value in slurm.conf, Slurm replaces %h in a path by the host's
# name, and a colon ends a path in the holder's option --bind.
UNUSABLE = re.compile(r"[^\w/.@~+-]")


@dataclass(frozen=True)
class HostName:
    """A host of the cluster; number 0 is the controller."""

    name: str
    number: int

    @property
    def address(self) -> str:
        first, second = divmod(self.number + 1, 250)
        return f"{NETWORK}.{first}.{second + 1}"


def host_names(count: int) -> list[HostName]:
    """The controller's name, then the names of the hosts that measure."""
    return [HostName(CONTROL, 0), *(HostName(f"host{n}", n) for n in range(1, count + 1))]


@dataclass(frozen=True)
class SlurmFiles:
    """The paths of the files of one private cluster. `local` is the path at which each host sees
    its own folder: in the host's mount namespace, `hosts/NAME` is mounted there. All hosts can
    therefore share one configuration.
    """

    folder: Path

    @property
    def configuration(self) -> Path:
        return self.folder / "slurm.conf"

    @property
    def local(self) -> Path:
        return self.folder / "local"

    @property
    def key(self) -> Path:
        return self.folder / "munge.key"

    @property
    def host_table(self) -> Path:
        return self.folder / "hosts.table"

    @property
    def munge_socket(self) -> Path:
        return self.local / "munge.socket"

    def own(self, host: str) -> Path:
        """The folder that the host sees as `local`."""
        return self.folder / "hosts" / host

    def require_path(self) -> None:
        """Raises UserMistake if the files cannot lie in this folder."""
        if found := UNUSABLE.search(str(self.folder)):
            raise UserMistake(
                f"{self.folder}: Slurm's configuration cannot name this folder, because its path "
                f"contains {found[0]!r}; set RUNFAIR_PRIVATE to a folder whose path has only "
                "letters, digits and / . _ - + @ ~"
            )
        if len(os.fsencode(self.munge_socket)) > SOCKET_LENGTH:
            raise UserMistake(
                f"{self.munge_socket}: the path is too long for a socket; set RUNFAIR_PRIVATE to "
                "a folder with a shorter path"
            )

    def write(self, hosts: Sequence[HostName], processors: int, memory_mib: int) -> None:
        self.local.mkdir(parents=True)
        for host in hosts:
            (self.own(host.name) / "spool").mkdir(parents=True)
        (self.own(CONTROL) / "state").mkdir()
        descriptor = os.open(self.key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        lines = ["127.0.0.1 localhost", *(f"{one.address} {one.name}" for one in hosts)]
        self.host_table.write_text("\n".join(lines) + "\n")
        (self.folder / "cgroup.conf").write_text(self._cgroup())
        self.configuration.write_text(self._slurm(hosts, processors, memory_mib))

    def _cgroup(self) -> str:
        if Path("/sys/fs/cgroup/cgroup.controllers").exists():
            return "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n"
        return "CgroupPlugin=cgroup/v1\n"

    def _slurm(self, hosts: Sequence[HostName], processors: int, memory_mib: int) -> str:
        control, *nodes = hosts
        described = "\n".join(
            f"NodeName={node.name} NodeAddr={node.address} CPUs={processors} "
            f"RealMemory={memory_mib} State=UNKNOWN"
            for node in nodes
        )
        return f"""\
ClusterName=runfair
SlurmctldHost={control.name}({control.address})
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={self.munge_socket}
StateSaveLocation={self.local}/state
SlurmdSpoolDir={self.local}/spool
SlurmctldPidFile={self.local}/slurmctld.pid
SlurmdPidFile={self.local}/slurmd.pid
SlurmctldLogFile={self.local}/slurmctld.log
SlurmdLogFile={self.local}/slurmd.log
# A step's processes are followed without a cgroup of Slurm's own, and nothing polls them.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# A host claims the processors that were stated, not those of the machine that all hosts share.
SlurmdParameters=config_overrides
# A lost host is noticed soon, and is used again when it comes back.
SlurmdTimeout=20
MessageTimeout=10
KillWait=5
ReturnToService=2
{described}
PartitionName={PARTITION} Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP
"""


DAEMONS = ("munged", "slurmctld", "slurmd")
COMMAND_LIMIT_S = 30.0


def slurm_of(state: ClusterState) -> Slurm:
    """Slurm's commands, which run on the controller's host."""
    files = SlurmFiles(cluster_folder())
    return Slurm(tuple(entered(state.control, files)))


def is_simulated() -> bool:
    """Whether this process is a step on a host of the private cluster."""
    return os.environ.get("SLURM_CONF") == str(SlurmFiles(cluster_folder()).configuration)


def entered(host: ClusterHost, files: SlurmFiles) -> list[str]:
    """The words that are put before a command to run it on a host of the cluster."""
    return [
        *("nsenter", "--target", str(host.holder.pid), "--all"),
        *(f"--wd={files.folder}", "env", f"SLURM_CONF={files.configuration}"),
    ]


def running_daemons(host: ClusterHost) -> list[str]:
    """The daemons that are running on the host."""
    found = set()
    for process in processes_within(host):
        try:
            found.add(Path(f"/proc/{process}/comm").read_text().strip())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [one for one in DAEMONS if one in found]


def start_daemons(files: SlurmFiles, host: ClusterHost) -> None:
    """Starts the daemons of the host that are not running."""
    own = "slurmctld" if host.name == CONTROL else "slurmd"
    commands = {
        "munged": [
            *("munged", f"--socket={files.munge_socket}", f"--key-file={files.key}"),
            *(f"--pid-file={files.local}/munged.pid", f"--seed-file={files.local}/munged.seed"),
            f"--log-file={files.local}/munged.log",
            "--force",
        ],
        "slurmctld": ["slurmctld"],
        "slurmd": ["slurmd", "-N", host.name],
    }
    # A process that enters namespaces keeps its own processors. The steps of a job get the host's
    # processors from slurmd.
    processors = ",".join(map(str, sorted(os.sched_getaffinity(host.holder.pid))))
    pinned = ["taskset", "--cpu-list", processors, *entered(host, files)]
    lives = running_daemons(host)
    for name in ("munged", own):
        if name not in lives:
            _run([*pinned, *commands[name]], f"{name} on {host.name}")


def processes_within(host: ClusterHost) -> Iterator[int]:
    """The process numbers of all processes on the host, its holder included."""
    try:
        inside = Path(f"/proc/{host.holder.pid}/ns/pid").readlink()
    except (FileNotFoundError, ProcessLookupError):
        return
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "ns" / "pid").readlink() == inside:
                yield int(path.name)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue


def _run(command: Sequence[str], what: str) -> str:
    """The output of a command. Raises UserMistake with the last line of the output if the command
    fails or hangs."""
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserMistake(f"{what} did not start within {COMMAND_LIMIT_S:.0f} s") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise UserMistake(f"{what} cannot be started: {said}")
    return done.stdout
