"""Private clusters for tests, and where they cannot be made."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from runfair.fleet.cluster_state import ClusterState

MISSING = [name for name in ("slurmctld", "slurmd", "munged", "srun") if not shutil.which(name)]


def require_cluster() -> None:
    """Skips the test where no cluster can be started, and says why."""
    if os.geteuid():
        pytest.skip("hosts of namespaces need root")
    if MISSING:
        pytest.skip(f"no Slurm here ({', '.join(MISSING)}): apt-get install slurm-wlm")


def processes_of(folder: Path) -> list[str]:
    """Command lines of living processes that name this folder, this one's own tree apart."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            environment = (path / "environ").read_bytes()
        except (OSError, ValueError):
            continue
        if int(path.name) != os.getpid() and (
            str(folder) in command or f"SLURM_CONF={folder}".encode() in environment
        ):
            found.append(command)
    return found


def daemon(state: ClusterState, host: str, name: str) -> int:
    """The process number of a daemon on one of the hosts."""
    inside = Path(f"/proc/{state.host(host).holder.pid}/ns/pid").readlink()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            alike = (path / "ns/pid").readlink() == inside
            if alike and (path / "comm").read_text().strip() == name:
                return int(path.name)
        except OSError:
            continue
    raise LookupError(f"{name} does not run on {host}")
