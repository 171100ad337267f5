"""The machines on which a run measures, as `machines.toml` and `fleet.json` state them."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from runfair.formats.record import Record

HostRole = Literal["generator", "service", "database", "lab"]
LAB_ROLE: HostRole = "lab"
GENERATOR_ROLE: HostRole = "generator"
PROGRAM_ROLE: HostRole = "service"  # the role of hosts that measure programs
# The roles of the hosts that measure a service together.
SERVICE_ROLES: tuple[HostRole, ...] = (GENERATOR_ROLE, PROGRAM_ROLE, "database")
MOST_GENERATORS = 64  # the greatest number of shards of a schedule (loadgen/src/schedule/shard.rs)
HOUR_MIN = 60

WORD = r"^[A-Za-z0-9_.:+-]+$"
Word = Annotated[str, StringConstraints(pattern=WORD)]


def _single(feature: object) -> object:
    if isinstance(feature, str) and not re.match(WORD, feature):
        raise ValueError(
            f"{feature!r} is not the name of a single feature; each host must have all features of "
            "the list, and runfair supports neither alternatives (|) nor numbers of nodes (*)"
        )
    return feature


Feature = Annotated[Word, BeforeValidator(_single)]


class Needs(Record):
    """The requirements of a role: what each host must have, and the number of hosts. The traffic
    between the roles goes by `interface`; if it is empty, by the address of the host's name.

    `hosts` is the number of services that are measured at the same time. `nodes` is the number of
    hosts that each of them gets of this role: several hosts of the role `generator` share a load,
    and several hosts of the role `service` run its instances.

    `node` is the name of the node on which the lab runs. Only the role `lab` has this field, and no
    other.
    """

    hosts: Annotated[int, Field(ge=1, le=10_000)] = 1
    nodes: Annotated[int, Field(ge=1, le=MOST_GENERATORS)] = 1
    features: list[Feature] = []
    processors: Annotated[int, Field(ge=1)] = 1
    memory_mib: Annotated[int, Field(ge=1)] = 1
    interface: Word | Literal[""] = ""
    node: Word | Literal[""] = ""

    @property
    def all_hosts(self) -> int:
        """The number of hosts of the role in the whole job."""
        return self.hosts * self.nodes


class Machines(Record):
    """The contents of `machines.toml`: this machine, or a partition of Slurm.

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
                f"the table [roles.{PROGRAM_ROLE}] is missing; add this table, which states the "
                "hosts on which programs are measured"
            )
        self._check_roles()
        return self

    def _check_roles(self) -> None:
        for role, needs in self.roles.items():
            if role == LAB_ROLE and (not needs.node or needs != Needs(node=needs.node)):
                raise ValueError(
                    f"[roles.{LAB_ROLE}] must state only the key `node`, the name of the node on "
                    "which ./runfair runs"
                )
            if role != LAB_ROLE and needs.node:
                raise ValueError(
                    f"[roles.{role}] has `node`, but Slurm chooses the hosts of this role; leave "
                    "`node` out"
                )
        several = [one for one, needs in self.roles.items() if needs.nodes > 1]
        if other := [one for one in several if one not in (GENERATOR_ROLE, PROGRAM_ROLE)]:
            raise ValueError(
                f"[roles.{other[0]}] has `nodes`, but only the roles {GENERATOR_ROLE} and "
                f"{PROGRAM_ROLE} can use several hosts at a time; leave `nodes` out"
            )

    @property
    def requested(self) -> dict[HostRole, Needs]:
        """The roles whose hosts Slurm chooses: all but the lab's."""
        return {role: needs for role, needs in self.roles.items() if role != LAB_ROLE}

    @property
    def service_hosts(self) -> int:
        """The number of hosts on which each service runs."""
        return self.roles[PROGRAM_ROLE].nodes if PROGRAM_ROLE in self.roles else 1

    @property
    def lab_node(self) -> str:
        """The node on which the lab runs, and which measures nothing; empty if it may measure."""
        return self.roles[LAB_ROLE].node if LAB_ROLE in self.roles else ""


LOCAL_MACHINES = Machines()


class RunMachines(Record):
    """`fleet.json` of a run over several hosts: the machines on which the run began. The run is
    completed there."""

    schema_version: Literal[1] = 1
    machines: Machines
