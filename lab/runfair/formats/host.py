"""The machines of a run: the machines on which it may measure (`machines.toml`, `fleet.json`), each
machine and its calibration (`machines/HOST.json`), and the readings of the reference loop between
executions (`reference.jsonl`)."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, StringConstraints, model_validator

from runfair.formats.place import LOCAL
from runfair.formats.record import FileName, Record, Row, row

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
                f"the table [roles.{PROGRAM_ROLE}] is missing; add this table, which states the "
                "hosts that measure"
            )
        return self


LOCAL_MACHINES = Machines()


class RunMachines(Record):
    """`fleet.json` of a run over several hosts: the machines on which the run began. The run is
    completed there."""

    schema_version: Literal[1] = 1
    machines: Machines


class Processor(Record):
    """A logical processor, as the kernel describes it. A field is None if the kernel does not
    report it."""

    number: int
    core: int | None
    socket: int | None
    node: int | None
    siblings: list[int]
    isolated: bool
    governor: str | None


class Gate(Record):
    """A property of the machine that disturbs measurement. The gate records the present value, and
    the command that would remove the disturbance (empty if no command on this machine can)."""

    name: str
    state: Literal["quiet", "disturbing", "unknown"]
    found: str
    command: str = ""


class Calibration(Record):
    """The result of a calibration (an A/A measurement) of this machine.

    `noise_floor_wall` and `noise_floor_cpu` are the relative half-widths of the 95% intervals when
    a program is compared with itself. `reference_ns` is the median of the reference loop, and
    `reference_drift` is the loop's relative change over the calibration.
    """

    schema_version: Literal[1] = 1
    realtime_ns: int
    boot_id: str
    pairs: int
    noise_floor_wall: float
    noise_floor_cpu: float
    reference_ns: int
    reference_drift: float
    foreign_share: float
    steal_share: float
    processors: list[int]
    gates: list[Gate]


class Host(Record):
    """A description of the machine. A reader uses it to judge whether another is similar. `role` is
    what ran on it: figures are measured on hosts of the role `service`."""

    schema_version: Literal[1] = 1
    name: FileName
    boot_id: str
    system: str
    kernel: str
    architecture: str
    processor_model: str
    processors: list[Processor]
    memory_bytes: int
    virtualised: str
    clock_source: str
    frequency_scaling: str
    turbo: str
    address_randomisation: str
    transparent_huge_pages: str
    hardware_counters: bool
    hardware_counters_refusal: str = ""
    cgroup: str
    calibration: Calibration | None = None
    role: HostRole = PROGRAM_ROLE


class KnownHost(Record):
    """`.runfair/hosts/NODE.json`: a host of a partition, as it last described itself.
    `missing_runtimes` are runtimes that the lab plans with and that this host does not have.
    `addresses` has the IPv4 address of each network interface. `clock_kept` says whether a time
    service keeps its clock; it is None if the kernel does not tell."""

    schema_version: Literal[1] = 1
    host: Host
    missing_runtimes: list[str] = []
    addresses: dict[str, str] = {}
    clock_kept: bool | None = None


ReferenceKind = Literal["computing", "memory"]
KINDS: tuple[ReferenceKind, ...] = get_args(ReferenceKind)

Positive = Annotated[int, Field(gt=0)]


class BusyProgram(Record):
    """A program that is not part of the measurement, and its share of a processor since the
    previous reading."""

    name: str
    share: float


@row
class ReferenceReading(Row):
    """A reading of the reference loop. `kind` is its work: computing, or walking through memory.
    The loop did `steps` of constant work, so the nanoseconds per step show the machine's speed.
    `foreign_ns` and `steal_ns` are foreign time and steal time while the loop's process lived
    (`process_ns`); they are None if the kernel does not report them. `took_ns` is the time that the
    reading added to the run. `after` is the execution before the reading."""

    schema_version: Literal[1] = 1
    place: FileName = LOCAL
    boot_id: str
    started_monotonic_ns: int
    kind: ReferenceKind
    processor: int
    steps: Positive
    wall_ns: Positive
    cpu_ns: Positive
    process_ns: int
    foreign_ns: int | None
    steal_ns: int | None
    took_ns: int
    after: str
    busy: list[BusyProgram] = field(default_factory=list)

    @property
    def ended_monotonic_ns(self) -> int:
        return self.started_monotonic_ns + self.wall_ns
