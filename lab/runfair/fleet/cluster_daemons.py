"""The daemons of a private cluster: munge and Slurm on each of its hosts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from runfair.errors import UserMistake
from runfair.fleet.cluster_state import ClusterHost, ClusterState, cluster_folder
from runfair.fleet.slurm import Slurm
from runfair.fleet.slurm_files import CONTROL, SlurmFiles

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMAND_LIMIT_S = 30.0


def slurm_of(state: ClusterState) -> Slurm:
    """Slurm's commands. Slurm's commands are run on the controller's host."""
    files = SlurmFiles(cluster_folder())
    return Slurm(tuple(entered(state.control, files)))


def entered(host: ClusterHost, files: SlurmFiles) -> list[str]:
    """The words that are put before a command to run it on a host of the cluster."""
    return [
        *("nsenter", "--target", str(host.holder.pid), "--all"),
        *(f"--wd={files.folder}", "env", f"SLURM_CONF={files.configuration}"),
    ]


def running_daemons(host: ClusterHost) -> list[str]:
    """The daemons that are running on the host."""
    found = set()
    for process in _processes_within(host):
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
    lives = running_daemons(host)
    for name in ("munged", own):
        if name not in lives:
            _run([*entered(host, files), *commands[name]], f"{name} on {host.name}")


def _processes_within(host: ClusterHost) -> Iterator[int]:
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
            timeout=COMMAND_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserMistake(f"{what} did not start within {COMMAND_LIMIT_S:.0f} s") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise UserMistake(f"{what}: {said}")
    return done.stdout
