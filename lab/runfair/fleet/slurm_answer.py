"""The answers of Slurm's commands, with types, and the cause of an error in one line.

This module reads the output of `sinfo --json` and `squeue --json`. The readers of this output were
tested with Slurm 22.05 (OpenAPI v0.0.38). Later versions print states as lists and group identical
nodes. This module reads the output of later versions according to their published schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from runfair.errors import UserMistake

COMPLETING = "COMPLETING"

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


def described(errors: Any) -> str:
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
