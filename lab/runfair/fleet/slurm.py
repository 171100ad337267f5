"""Slurm's commands, with typed answers. An error contains Slurm's own message in one line.

This module reads the output of `sinfo --json` and `squeue --json`. The readers of this output were
tested with Slurm 22.05 (OpenAPI v0.0.38). Later versions print states as lists and group identical
nodes. This module reads the output of later versions according to their published schemas.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runfair.errors import UserMistake

NEEDED = ("sinfo", "squeue", "salloc", "srun", "scancel", "scontrol")
ANSWER_LIMIT_S = 60.0
INSTALL = "apt-get install slurm-wlm"
NO_ANSWER = "Slurm's controller does not answer; check that slurmctld runs (scontrol ping)"
COMPLETING = "COMPLETING"
NEEDED_VERSION = "runfair needs Slurm 22.05 or newer, built with support for JSON"

_WORKING = frozenset({"IDLE", "MIXED", "ALLOCATED", "COMPLETING"})
# A node that is POWERED_DOWN to save power is not barred: Slurm starts it for a job.
_BARRED = frozenset({"DRAIN", "FAIL", "NOT_RESPONDING", "DOWN", "MAINTENANCE", "INVALID_REG"})
_ENDED = frozenset(
    {
        *("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL"),
        *("DEADLINE", "OUT_OF_MEMORY", "REVOKED"),
    }
)
_PREFIX = re.compile(r"^(?:sinfo|squeue|salloc|srun|scancel|scontrol): (?:error: |fatal: )?")
# Lines around the line with the cause, which contain less information.
_ECHO = re.compile(
    r"Check SLURM_JOB_ID|Force Terminated|Terminating|Job step aborted|task \d+:|"
    r"Pending job allocation|queued and waiting|allocated resources|Granted job allocation|"
    r"If munged is up"
)
# Slurm's commands would take the variables of the job in which this process runs for options of
# their own, such as SLURM_CPUS_PER_TASK. These variables choose a cluster instead.
_OF_JOB = ("SLURM_", "SRUN_")
# The user's own variables, such as SINFO_PARTITION, would hide nodes and jobs from the lab.
_OF_VIEWS = ("SINFO_", "SQUEUE_")
_OF_CLUSTER = frozenset({"SLURM_CONF", "SLURM_CLUSTERS", "SLURM_JWT"})
_IN_JOB = "SLURM_JOB_ID"
_UNKNOWN_JOB = "Invalid job id specified"
_NO_CONFIGURATION = "Could not establish a configuration source"


class SlurmError(UserMistake):
    """Slurm refused, or did not answer. The message is Slurm's own, in one line."""


@dataclass(frozen=True)
class Node:
    """A node, as Slurm describes it. `state` and `flags` are in capitals, as in the output of
    scontrol."""

    name: str
    state: str
    flags: tuple[str, ...]
    reason: str
    processors: int
    memory_mib: int
    features: tuple[str, ...]
    partitions: tuple[str, ...]
    architecture: str = ""

    @property
    def usable(self) -> bool:
        return self.state in _WORKING and not _BARRED & {*self.flags}

    @property
    def problem(self) -> str:
        """The reason why the node cannot be used; empty if it can be used."""
        if self.usable:
            return ""
        states = " ".join(one.lower() for one in (self.state, *self.flags))
        return f"{states} ({self.reason})" if self.reason else states


@dataclass(frozen=True)
class Job:
    """A job that is in the queue or has ended recently. `reason` says why it is pending or why it
    ended. The steps of a job that is `completing` may still run; until they have ended, Slurm 22.05
    does not say why the job ends. Each component of a heterogeneous job is a job: `leader` is the
    number of the first component (0 if the job is not heterogeneous), and `offset` is the
    component's position.
    """

    number: int
    name: str
    state: str
    reason: str
    nodes: str
    leader: int = 0
    offset: int = 0
    completing: bool = False

    @property
    def holds_nodes(self) -> bool:
        return self.state not in {*_ENDED, "PENDING"} and not self.completing

    @property
    def ended(self) -> bool:
        return self.state in _ENDED and not self.completing


def require_installed(names: Iterable[str] = NEEDED) -> None:
    """Raises UserMistake if one of Slurm's commands is not installed. The message has the command
    that installs Slurm.
    """
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        raise UserMistake(
            f"Slurm's commands {', '.join(missing)} are missing on this machine; install them "
            f"with: {INSTALL}"
        )


def outside_job() -> dict[str, str]:
    """The environment of this process, without the variables of the job in which it may run, and
    without settings that hide nodes or jobs."""
    dropped = (*_OF_VIEWS, *(_OF_JOB if _IN_JOB in os.environ else ()))
    return {
        name: value
        for name, value in os.environ.items()
        if name in _OF_CLUSTER or not name.startswith(dropped)
    }


@dataclass(frozen=True)
class Slurm:
    """Slurm's commands, each preceded by the words `enter` (empty if Slurm runs on this host)."""

    enter: tuple[str, ...] = ()

    def nodes(self, partition: str = "") -> list[Node]:
        """All nodes, or those of a partition. Raises SlurmError if there is no such partition."""
        found = parse_nodes(self._json("sinfo", "--all", "--local", "--json"))
        if not partition:
            return found
        members = [one for one in found if partition in one.partitions]
        if not members:
            known = sorted({name for one in found for name in one.partitions})
            raise SlurmError(
                f"Slurm has no partition {partition}; its partitions are "
                f"{', '.join(known) or 'none'}"
            )
        return members

    def jobs(self, name: str = "") -> list[Job]:
        """The user's jobs with this name; all of the user's jobs if no name is given."""
        # Slurm 22.05 ignores `--me` together with `--json`, and answers with the jobs of all users.
        jobs = parse_jobs(
            self._json("squeue", "--all", "--local", "--me", "--states=all", "--json")
        )
        return [one for one in jobs if name in ("", one.name)]

    def job(self, number: int) -> Job | None:
        """The job with this number; None if Slurm no longer knows it."""
        return next((one for one in self.jobs() if one.number == number), None)

    def host_names(self, nodes: str) -> list[str]:
        """The host names of a list such as `host[1-3]`, one by one."""
        return self.output("scontrol", "show", "hostnames", nodes).split()

    def cancel(self, *numbers: int) -> None:
        """Cancels jobs. It is no error if Slurm no longer knows a job. Otherwise, the SlurmError
        says how the user can cancel the jobs."""
        if not numbers:
            return
        words = ["scancel", *map(str, numbers)]
        try:
            self.output(*words)
        except SlurmError as error:
            if _UNKNOWN_JOB not in str(error):
                raise SlurmError(
                    f"{error}; the job may still hold its nodes, so cancel it with: "
                    f"{shlex.join(words)}"
                ) from None

    def command(self, *words: str) -> list[str]:
        """A command behind `enter`. ssh joins the words for a shell on the other host, so they are
        quoted for this shell."""
        if self.enter and Path(self.enter[0]).name == "ssh":
            words = tuple(map(shlex.quote, words))
        return [*self.enter, *words]

    def output(self, *words: str) -> str:
        """The output of a command. Raises SlurmError if the command fails, hangs or is not
        installed."""
        return self._answered(*words).stdout

    def _answered(self, *words: str) -> subprocess.CompletedProcess[str]:
        try:
            done = subprocess.run(
                self.command(*words),
                env=outside_job(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_LIMIT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise SlurmError(
                f"{error.filename}, which `enter` of the machines file names, is missing on this "
                "machine; correct `enter`"
                if self.enter
                else f"{error.filename} is missing on this machine; install it with: {INSTALL}"
            ) from None
        except OSError as error:
            raise SlurmError(
                f"{error.filename} cannot be started ({error.strerror}); correct `enter` in the "
                "machines file"
                if self.enter
                else f"{error.filename} cannot be started ({error.strerror})"
            ) from None
        except subprocess.TimeoutExpired:
            raise SlurmError(
                f"{words[0]}: Slurm did not answer within {ANSWER_LIMIT_S:.0f} s"
            ) from None
        if done.returncode:
            raise self._refusal(words[0], done.stderr or done.stdout)
        return done

    def _refusal(self, command: str, said: str) -> SlurmError:
        own = f"{Path(self.enter[0]).name}: " if self.enter else None
        for line in said.splitlines():
            if own is not None and line.startswith(own):
                return SlurmError(
                    "the command `enter` of the machines file does not reach Slurm "
                    f"({line.removeprefix(own)}); if Slurm ran in a simulated cluster, start the "
                    "cluster again, and use the machines file that `cluster start` names"
                )
        told = cause(said)
        if told == _NO_CONFIGURATION:
            told += (
                "; write /etc/slurm/slurm.conf (docs/machines.md), or state the key `enter` in the "
                "machines file"
            )
        if "--json" in told:
            told += f"; {NEEDED_VERSION}"
        return SlurmError(f"{command}: {told}")

    def _json(self, *words: str) -> Any:
        done = self._answered(*words)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            first = next(filter(None, map(str.strip, done.stdout.splitlines())), "nothing")
            raise SlurmError(
                f"{words[0]} --json printed no JSON, but: {first[:80]}; {NEEDED_VERSION}"
            ) from None
        # The status is 0 even if Slurm does not answer. The lists of the answer are empty then.
        if isinstance(answer, dict) and answer.get("errors"):
            told = _described(answer["errors"])
            raise self._refusal(words[0], done.stderr or told or NO_ANSWER)
        return answer


def _described(errors: Any) -> str:
    """The description of the first error in an answer. Slurm 22.05 gives none."""
    try:
        return str(errors[0]["description"])
    except (KeyError, TypeError):
        return ""


def cause(said: str) -> str:
    """The line of Slurm's messages that names the cause: the first error, without its prefix."""
    spoken = [line.strip() for line in said.splitlines() if line.strip()]
    lines = [line for line in spoken if not _ECHO.search(line)] or spoken
    fatal = [line for line in lines if ": fatal: " in line]
    errors = fatal or [line for line in lines if "error" in line] or lines
    told = [_PREFIX.sub("", line) for line in errors]
    # When a job is submitted, the last message says most; when a step fails, the first message says
    # most.
    submitted = [line for line in told if "submit" in line or "allocate" in line]
    return (submitted or told or ["no message"])[0]


def parse_nodes(answer: Any) -> list[Node]:
    """The nodes in the output of `sinfo --json` of any version. Raises SlurmError if the output has
    another form."""
    try:
        if "sinfo" in answer:
            return _merged(node for entry in answer["sinfo"] for node in _grouped(entry))
        return [_node(entry) for entry in answer["nodes"]]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SlurmError(f"sinfo --json printed JSON of an unknown form ({error!r})") from None


def parse_jobs(answer: Any) -> list[Job]:
    """The jobs in the output of `squeue --json` of any version."""
    try:
        return [
            Job(
                number=_number(entry["job_id"]),
                name=str(entry["name"]),
                state=(states := _states(entry["job_state"]))[0],
                reason=_reason(entry),
                nodes=str(entry.get("nodes") or ""),
                leader=(leader := _number(entry.get("het_job_id") or 0)),
                offset=_number(entry.get("het_job_offset") or 0) if leader else 0,
                completing=COMPLETING in states,
            )
            for entry in answer["jobs"]
        ]
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise SlurmError(f"squeue --json printed JSON of an unknown form ({error!r})") from None


def _node(entry: Any) -> Node:
    states = [*_states(entry["state"]), *_states(entry.get("state_flags") or [])]
    features = entry.get("features") or []
    return Node(
        name=str(entry["name"]),
        state=states[0] if states else "UNKNOWN",
        flags=tuple(states[1:]),
        reason=str(entry.get("reason") or ""),
        processors=_number(entry["cpus"]),
        memory_mib=_number(entry["real_memory"]),
        features=_words(features),
        partitions=_words(entry.get("partitions") or []),
        architecture=str(entry.get("architecture") or ""),
    )


def _grouped(entry: Any) -> Iterable[Node]:
    """The nodes of one entry. Later versions group identical nodes in an entry."""
    states = _states(entry["node"]["state"])
    reason = entry.get("reason") or ""
    for name in entry["nodes"]["nodes"]:
        yield Node(
            name=str(name),
            state=states[0] if states else "UNKNOWN",
            flags=tuple(states[1:]),
            reason=str(reason if isinstance(reason, str) else reason.get("description") or ""),
            processors=_number(entry["cpus"]["minimum"]),
            memory_mib=_number(entry["memory"]["minimum"]),
            features=_words(entry["features"]["total"]),
            partitions=_words(entry["partition"]["name"]),
        )


def _merged(nodes: Iterable[Node]) -> list[Node]:
    """The nodes without duplicates, each with all its partitions. Slurm lists a node once for each
    partition."""
    found: dict[str, Node] = {}
    for one in nodes:
        before = found.get(one.name)
        partitions = (*(before.partitions if before else ()), *one.partitions)
        found[one.name] = Node(**{**vars(one), "partitions": tuple(dict.fromkeys(partitions))})
    return list(found.values())


def _states(told: Any) -> list[str]:
    words = [told] if isinstance(told, str) else list(told)
    return [str(word).upper() for word in words]


def _reason(entry: Any) -> str:
    reason = str(entry.get("state_reason") or "")
    described = str(entry.get("state_description") or "")
    return described or ("" if reason == "None" else reason)


def _words(told: str | Sequence[Any]) -> tuple[str, ...]:
    words = told.split(",") if isinstance(told, str) else [str(one) for one in told]
    return tuple(word.rstrip("*") for word in words if word)


def _number(told: Any) -> int:
    """A number. Later versions wrap a number in an object if it may be unset."""
    return int(told["number"]) if isinstance(told, dict) else int(told)
