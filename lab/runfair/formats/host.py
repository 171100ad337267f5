"""The machine of a run (`machines/HOST.json`), its calibration, and the readings of the reference
loop between executions (`reference.jsonl`)."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal, get_args

from pydantic import Field

from runfair.formats.machines import PROGRAM_ROLE, HostRole
from runfair.formats.place import LOCAL
from runfair.formats.record import FileName, Record, Row, row


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
    what ran on it: figures are measured on hosts of the role `service`. A `simulated` host is a
    part of a machine, made by `./runfair cluster start`. `clock_kept` says whether a time service
    (NTP or PTP) adjusts the clock of a host of a partition; it is None if this is unknown."""

    schema_version: Literal[1] = 1
    name: FileName
    boot_id: str
    system: str
    kernel: str
    architecture: str
    processor_model: str
    processors: list[Processor]
    memory_bytes: int
    firmware: str = ""  # empty in old records
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
    simulated: bool = False
    clock_kept: bool | None = None


class KnownHost(Record):
    """`.runfair/hosts/NODE.json`: a host of a partition, as it last described itself.
    `missing_runtimes` are runtimes that the lab plans with and that this host does not have.
    `addresses` has the IPv4 address of each network interface."""

    schema_version: Literal[1] = 1
    host: Host
    missing_runtimes: list[str] = []
    addresses: dict[str, str] = {}


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
