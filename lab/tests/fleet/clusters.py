"""Private clusters for tests, and where they cannot be made."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runfair.fleet.cluster import start, stop
from runfair.fleet.cluster_daemons import DAEMONS
from runfair.fleet.cluster_state import ClusterState, Declared
from runfair.paths import private_folder

# Each test would build the load generator, the relay and the launcher again.
BUILDS = ("builds", "cargo", "inputs", "loadgen", "native", "relay", "sources")
ENGINE = (*DAEMONS, "slurmscriptd")  # a child of slurmctld
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


@contextmanager
def private_cluster(
    declared: Declared, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[ClusterState, Path]]:
    """A cluster, and its private folder, which is the usual one but for the cluster: builds are
    shared, and a cluster of the user's is left alone."""
    require_cluster()
    usual = private_folder()
    for name in BUILDS:
        (usual / name).mkdir(exist_ok=True)
    # Below /tmp itself, because the paths of sockets are short.
    own = Path(tempfile.mkdtemp(prefix="fleet-", dir="/tmp"))
    own.chmod(0o755)
    for path in usual.iterdir():
        if not path.name.startswith("cluster"):
            (own / path.name).symlink_to(path)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(own))
    try:
        yield start(declared), own
    finally:
        stop()
        shutil.rmtree(own)


def foreign_processes(state: ClusterState) -> list[str]:
    """Processes on the hosts other than Slurm's daemons and the holders."""
    holders = {one.holder.pid for one in state.hosts} | {state.holder.pid}
    spaces = {_namespace(one.holder.pid) for one in state.hosts} - {None}
    return [
        name
        for path in Path("/proc").glob("[0-9]*")
        if _namespace(int(path.name)) in spaces and int(path.name) not in holders
        if (name := _name(path)) and name not in ENGINE
    ]


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return ""


def _namespace(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink()
    except OSError:
        return None
