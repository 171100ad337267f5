"""The machines on which a plan runs, as `machines.toml` states: this machine (the default), or a
partition of Slurm.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, StringConstraints, model_validator

from runfair.errors import UserMistake
from runfair.fleet.slurm import Node
from runfair.formats.record import Record
from runfair.formats.toml import read_toml

HostRole = Literal["generator", "service", "database", "lab"]
ROLES: tuple[HostRole, ...] = get_args(HostRole)
PROGRAM_ROLE: HostRole = "service"  # the role of hosts that measure programs
HOUR_MIN = 60

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:+-]+$")]


class Needs(Record):
    """The requirements of a role: what each host must have, and the number of hosts."""

    hosts: Annotated[int, Field(ge=1, le=10_000)] = 1
    features: list[Word] = []
    processors: Annotated[int, Field(ge=1)] = 1
    memory_mib: Annotated[int, Field(ge=1)] = 1

    def lacking(self, node: Node) -> list[str]:
        """The requirements of the role that the node does not meet."""
        lacks = [f"feature {name}" for name in self.features if name not in node.features]
        if node.processors < self.processors:
            lacks.append(f"{self.processors} processors (it has {node.processors})")
        if node.memory_mib < self.memory_mib:
            lacks.append(f"{self.memory_mib} MiB (it has {node.memory_mib})")
        return lacks


class Machines(Record):
    """The contents of `machines.toml`.

    If Slurm's commands run on another host than the lab, `enter` has the words that are put before
    each of them. The hosts share the lab's folders.
    """

    engine: Literal["local", "slurm"] = "local"
    enter: list[str] = []
    partition: Word | Literal[""] = ""
    account: Word | Literal[""] = ""
    qos: Word | Literal[""] = ""
    reservation: Word | Literal[""] = ""
    time_limit_min: Annotated[int, Field(ge=1, le=60 * 24 * 365)] = 12 * HOUR_MIN
    wait_min: Annotated[int, Field(ge=1)] = 24 * HOUR_MIN
    roles: dict[HostRole, Needs] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.engine == "local":
            named = sorted(self.model_fields_set - {"engine"})
            if named:
                raise ValueError(f'{named[0]} needs engine = "slurm"')
        elif not self.partition:
            raise ValueError('engine = "slurm" needs a partition')
        elif PROGRAM_ROLE not in self.roles:
            raise ValueError(
                f"[roles.{PROGRAM_ROLE}] is missing, which states the hosts that measure"
            )
        return self


LOCAL_MACHINES = Machines()


def read_machines(path: Path | None) -> Machines:
    """The contents of the file. If there is no file, the plan runs on this machine."""
    return LOCAL_MACHINES if path is None else read_toml(path, Machines)


def require_hosts(machines: Machines, nodes: Sequence[Node]) -> None:
    """Raises UserMistake if the partition with these nodes (at least one) cannot meet the needs of
    the roles even when it is idle.
    """
    where = f"partition {machines.partition}"
    for role, needs in machines.roles.items():
        able = [node for node in nodes if not needs.lacking(node)]
        if len(able) >= needs.hosts:
            continue
        if not able:
            first = nodes[0]
            raise UserMistake(
                f"{where}: no node has what {role} needs; "
                f"{first.name} lacks {', '.join(needs.lacking(first))}"
            )
        raise UserMistake(
            f"{where}: {role} needs {needs.hosts} hosts, and only {len(able)} of its "
            f"{len(nodes)} nodes have what it needs"
        )
    total = sum(needs.hosts for needs in machines.roles.values())
    if total > len(nodes):
        raise UserMistake(
            f"{where}: the roles need {total} hosts together, but it has {len(nodes)}"
        )


def slurm_target_text(enter: Sequence[str], partition: str, hosts: int, processors: int) -> str:
    """The text of a `machines.toml` for a partition in which every host measures."""
    return f"""\
engine = "slurm"
enter = {json.dumps(list(enter))}
partition = "{partition}"
time_limit_min = {12 * HOUR_MIN}

[roles.{PROGRAM_ROLE}]
hosts = {hosts}
processors = {processors}
"""
