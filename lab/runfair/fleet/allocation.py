"""The nodes that Slurm allocates to a run exclusively, until the run ends or the time limit
expires.
"""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from runfair.fleet.slurm import Slurm, outside_job, require_installed
from runfair.fleet.slurm_answer import COMPLETING, Job, SlurmError, cause
from runfair.formats.machines import HOUR_MIN, PROGRAM_ROLE, HostRole, Machines

POLL_S = 1.0
LONGEST_POLL_S = 30.0  # of a job that waits for a long time
END_LIMIT_S = 120.0
COMPLETING_LIMIT_S = 20.0
_NUMBER = re.compile(r"job allocation (\d+)")

OnWait = Callable[[str], None]


@dataclass(frozen=True)
class JobRequest:
    """The request to salloc: whole nodes for some roles. With several roles the job is
    heterogeneous: each role is a component, and Slurm allocates all components together.
    """

    name: str
    machines: Machines
    roles: tuple[HostRole, ...] = (PROGRAM_ROLE,)

    @property
    def words(self) -> list[str]:
        """The command that requests the nodes."""
        words = ["salloc", "--no-shell", "--no-kill"]
        for number, role in enumerate(self.roles):
            words += [":"] if number else []
            words += self._component(role)
        return words

    def _component(self, role: HostRole) -> list[str]:
        machines = self.machines
        needs = machines.roles[role]
        hours, minutes = divmod(machines.time_limit_min, HOUR_MIN)
        words = [
            "--exclusive",
            *(f"--job-name={self.name}", f"--partition={machines.partition}"),
            *(f"--nodes={needs.all_hosts}", f"--mincpus={needs.processors}"),
            f"--time={hours}:{minutes:02d}:00",
        ]
        if needs.memory_mib > 1:  # else the file does not state it
            words.append(f"--mem={needs.memory_mib}M")
        if needs.features:
            words.append(f"--constraint={'&'.join(needs.features)}")
        if machines.lab_node:
            words.append(f"--exclude={machines.lab_node}")
        for option in ("account", "qos", "reservation"):
            if value := getattr(machines, option):
                words.append(f"--{option}={value}")
        return words


@dataclass(frozen=True)
class Allocation:
    """A job that holds nodes. Each step of the job runs on a single node. If the job is
    heterogeneous, `groups` has the component of each host. `roles` has the hosts of each role."""

    slurm: Slurm
    number: int
    hosts: tuple[str, ...]
    groups: Mapping[str, int] = field(default_factory=dict)
    roles: Mapping[HostRole, tuple[str, ...]] = field(default_factory=dict)

    def step(self, host: str, *words: str) -> subprocess.Popen[str]:
        """Starts a command on one host as a step of the job. When the step ends, Slurm ends its
        whole process tree.
        """
        return subprocess.Popen(
            self.slurm.command(*self.host_words(host), "--input=none", *words),
            env=outside_job(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def host_words(self, host: str) -> list[str]:
        """The words that start a command on a host of the job as a step of its own."""
        return self.step_words(self.number, host, self.groups.get(host))

    @staticmethod
    def step_words(number: int | str, host: str, group: int | None = None) -> list[str]:
        # A host runs several steps at a time. They share its processors and memory. A Slurm that
        # binds tasks by default would give each step a single core.
        one = ["--nodes=1", "--ntasks=1", f"--nodelist={host}", "--overlap", "--mem=0"]
        one += ["--cpu-bind=none"]
        component = [] if group is None else [f"--het-group={group}"]
        return ["srun", f"--jobid={number}", *component, *one]

    def ended(self) -> str:
        """The reason why the job no longer holds its nodes; empty while the job holds them."""
        deadline_s = time.monotonic() + COMPLETING_LIMIT_S
        while True:
            job = self.slurm.job(self.number)
            if job is None:
                return "Slurm no longer has a record of the job"
            # Only the state after COMPLETING says why the job ended.
            if job.state != COMPLETING or time.monotonic() > deadline_s:
                break
            time.sleep(POLL_S)
        if job.holds_nodes:
            return ""
        return f"{job.state} {job.reason}".strip()


@contextmanager
def allocated(slurm: Slurm, request: JobRequest, on_wait: OnWait) -> Iterator[Allocation]:
    """The allocated nodes. The nodes are returned to Slurm when the context is left.

    `on_wait` is called with Slurm's reason for the wait, whenever the reason changes. Raises
    SlurmError if the job is refused, cancelled, or pending for too long.
    """
    if not slurm.enter:
        require_installed()
    # A lab that was killed may have left a job of the same run, which still holds these nodes.
    _end_left(slurm, request.name)
    number = _granted(slurm, request, on_wait)
    try:
        job = slurm.job(number)
        if job is None:
            raise SlurmError(f"Slurm no longer has a record of the job {number}")
        yield _allocation(slurm, job, request)
    finally:
        slurm.cancel(number)


def _allocation(slurm: Slurm, job: Job, request: JobRequest) -> Allocation:
    parts = [one for one in slurm.jobs(request.name) if job.leader and one.leader == job.leader]
    parts.sort(key=lambda one: one.offset)
    named = [tuple(slurm.host_names(one.nodes)) for one in parts or [job]]
    if len(named) != len(request.roles):
        raise SlurmError(
            f"squeue shows {len(named)} components of job {job.number}, but runfair requested one "
            f"for each of the roles {', '.join(request.roles)}"
        )
    groups = {host: group for group, hosts in enumerate(named) for host in hosts} if parts else {}
    hosts = tuple(host for hosts in named for host in hosts)
    roles = dict(zip(request.roles, named, strict=True))
    return Allocation(slurm, job.number, hosts, groups, roles)


def _end_left(slurm: Slurm, name: str) -> None:
    """Cancels jobs of this name, and waits until their steps have ended."""
    deadline_s = time.monotonic() + END_LIMIT_S
    slurm.cancel(*(job.number for job in slurm.jobs(name) if not job.ended))
    while left := [job.number for job in slurm.jobs(name) if not job.ended]:
        if time.monotonic() > deadline_s:
            raise SlurmError(
                f"job {left[0]} is left over from an earlier run and does not end; cancel it with "
                f"scancel {left[0]}"
            )
        time.sleep(POLL_S)


def _granted(slurm: Slurm, request: JobRequest, on_wait: OnWait) -> int:
    asking = subprocess.Popen(
        slurm.command(*request.words),
        env=outside_job(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    said: list[str] = []
    assert asking.stderr is not None
    reader = threading.Thread(target=said.extend, args=(asking.stderr,), daemon=True)
    reader.start()
    deadline_s = time.monotonic() + request.machines.wait_min * 60
    told, number, pause_s = "", None, POLL_S
    try:
        while True:
            try:
                asking.wait(pause_s)
                break
            except subprocess.TimeoutExpired:
                pause_s = min(2 * pause_s, LONGEST_POLL_S)
            pending = [one for one in slurm.jobs(request.name) if one.state == "PENDING"]
            # Slurm may know the job before salloc's line about it has been read.
            numbers = [one.leader or one.number for one in pending]
            number = number or _number(said) or next(iter(numbers), None)
            if (reason := _reason(pending)) not in ("", told):
                told = reason
                on_wait(told)
            if time.monotonic() > deadline_s:
                raise SlurmError(
                    f"the job {number or request.name} has waited in Slurm's queue for "
                    f"{request.machines.wait_min} min ({told or 'Slurm gives no reason'}); to wait "
                    "longer, raise `wait_min` in the machines file"
                )
    except BaseException:
        # salloc cancels its request when it receives SIGTERM.
        asking.terminate()
        asking.wait()
        if number is not None:
            slurm.cancel(number)
        raise
    finally:
        reader.join()
        asking.stderr.close()
    number = _number(said)
    if asking.returncode or number is None:
        job = slurm.job(number) if number else None
        if job is not None and job.state == "CANCELLED":
            raise SlurmError(
                f"Slurm's job {number} was cancelled (scancel) before it got nodes, by its user or "
                f"an administrator{f'; the job waited for this reason: {told}' if told else ''}"
            )
        if job is not None and not job.ended:
            slurm.cancel(job.number)
        reason = f" ({job.state} {job.reason})".replace(" )", ")") if job is not None else ""
        raise SlurmError(f"salloc: {cause(''.join(said))}{reason}")
    return number


def _reason(pending: Sequence[Job]) -> str:
    """Slurm's reasons why the components of a job are pending."""
    return "; ".join(dict.fromkeys(one.reason for one in pending if one.reason))


def _number(said: list[str]) -> int | None:
    for line in list(said):
        if found := _NUMBER.search(line):
            return int(found[1])
    return None
