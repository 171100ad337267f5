"""The machines on which a run measures, as `machines.toml` and `fleet.json` state them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from runfair.formats.record import Record

HostRole = Literal["generator", "service", "database", "lab"]
PROGRAM_ROLE: HostRole = "service"  # the role of hosts that measure programs
# The roles of the hosts that measure a service together.
SERVICE_ROLES: tuple[HostRole, ...] = ("generator", PROGRAM_ROLE, "database")
HOUR_MIN = 60

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:+-]+$")]


class Needs(Record):
    """The requirements of a role: what each host must have, and the number of hosts. The traffic
    between the roles goes by `interface`; if it is empty, by the address of the host's name."""

    hosts: Annotated[int, Field(ge=1, le=10_000)] = 1
    features: list[Word] = []
    processors: Annotated[int, Field(ge=1)] = 1
    memory_mib: Annotated[int, Field(ge=1)] = 1
    interface: Word | Literal[""] = ""


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
                f"the table [roles.{PROGRAM_ROLE}] is missing; it states the hosts that measure"
            )
        return self


LOCAL_MACHINES = Machines()


class RunMachines(Record):
    """`fleet.json` of a run over several hosts: the machines on which the run began. The run is
    completed there."""

    schema_version: Literal[1] = 1
    machines: Machines
