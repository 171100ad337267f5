"""The state of a private cluster: its declaration, the processes of its hosts, and whether they are
alive.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from runfair.errors import UserMistake
from runfair.formats.record import Record
from runfair.paths import private_folder

STATE_FILE = "cluster.json"
END_LIMIT_S = 20.0
POLL_S = 0.05


class Declared(Record):
    """The declaration of a cluster.

    Each host uses the `processors`. `rate_mbit_per_s` limits the link of each host. `delay_ns`
    delays each packet that a host sends: each host or, with `delay_from`, only the host with this
    number. `loss` is the share of the packets that are lost, of those that each host sends. The
    CLOCK_MONOTONIC of host n is ahead by n · `clock_step_ns`.
    """

    hosts: Annotated[int, Field(ge=1, le=64)]
    processors: Annotated[int, Field(ge=1)] = 1
    rate_mbit_per_s: Annotated[float, Field(gt=0)] | None = None
    delay_ns: Annotated[int, Field(ge=0)] = 0
    delay_from: Annotated[int, Field(ge=1)] | None = None
    loss: Annotated[float, Field(ge=0, lt=1)] = 0.0
    clock_step_ns: Annotated[int, Field(ge=0)] = 0

    def delay_of(self, number: int) -> int:
        """The delay, in nanoseconds, of the packets that a host sends. Number 0 is the controller,
        whose link is perfect."""
        return self.delay_ns if number and self.delay_from in (None, number) else 0

    def loss_of(self, number: int) -> float:
        """The share of the packets of a host that are lost."""
        return self.loss if number else 0.0


class Process(Record):
    """A process, identified by its number and start time, because the kernel reuses numbers."""

    pid: int
    started_ticks: int

    @classmethod
    def of(cls, pid: int) -> Process:
        """The process with this number. Raises ProcessLookupError if there is no such process."""
        return cls(pid=pid, started_ticks=_started_ticks(pid))

    @property
    def lives(self) -> bool:
        try:
            return _started_ticks(self.pid) == self.started_ticks
        except ProcessLookupError:
            return False

    def kill(self) -> None:
        """Sends SIGKILL, and waits until the process is gone."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            # The pidfd is opened before the process is checked, so the number cannot belong to
            # another process.
            if not self.lives:
                return
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            os.close(handle)
        deadline_s = time.monotonic() + END_LIMIT_S
        while self.lives:
            if time.monotonic() > deadline_s:
                raise UserMistake(
                    f"process {self.pid} did not end within {END_LIMIT_S:.0f} s of SIGKILL, "
                    "because it waits in the kernel; try again later"
                )
            time.sleep(POLL_S)


class ClusterHost(Record):
    """One host of the cluster, with the process that holds its namespaces."""

    name: str
    address: str
    holder: Process


class ClusterState(Record):
    """A running cluster: `cluster.json` in its folder. Killing `holder` ends every process of the
    cluster.
    """

    schema_version: Literal[1] = 1
    boot_id: str
    declared: Declared
    holder: Process
    hosts: list[ClusterHost]
    shared_processors: bool

    @property
    def control(self) -> ClusterHost:
        return self.hosts[0]

    @property
    def lives(self) -> bool:
        return self.boot_id == boot_id() and self.holder.lives

    def host(self, name: str) -> ClusterHost:
        """The host with this name. Raises UserMistake if there is no such host."""
        for one in self.hosts:
            if one.name == name:
                return one
        raise UserMistake(f"the cluster has no host {name}; its hosts are {self._names}")

    @property
    def _names(self) -> str:
        return ", ".join(one.name for one in self.hosts)


def cluster_folder() -> Path:
    return private_folder() / "cluster"


def read_state(folder: Path) -> ClusterState | None:
    """The state of the running cluster; None if no cluster is running, even if the files of an
    ended cluster remain.
    """
    try:
        state = ClusterState.model_validate_json((folder / STATE_FILE).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise UserMistake(
            f"{folder / STATE_FILE}: another version of runfair wrote this file; stop the cluster "
            "with the version that started the cluster, or delete the file"
        ) from None
    return state if state.lives else None


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _started_ticks(pid: int) -> int:
    """The process's start time in ticks (field 22 of proc(5)'s stat). A zombie counts as ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError(pid) from None
    fields = text.rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return int(fields[19])
