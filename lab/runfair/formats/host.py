"""The machine of a run (`machines/HOST.json`), and what calibration found of it."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import FileName, Record


class Processor(Record):
    """One logical processor, as the kernel describes it; None where it does not."""

    number: int
    core: int | None
    socket: int | None
    node: int | None
    siblings: list[int]
    isolated: bool
    governor: str | None


class Gate(Record):
    """One property of the machine that disturbs measurement: what it is now, and the command
    that would quieten it (empty where nothing can be done from inside)."""

    name: str
    state: Literal["quiet", "disturbing", "unknown"]
    found: str
    command: str = ""


class Calibration(Record):
    """What an A/A measurement on this machine showed.

    `noise_floor_wall` and `noise_floor_cpu` are relative half-widths of the 95% interval of a
    program compared with itself; `reference_ns` is the reference loop's median, `reference_drift`
    its relative change over the calibration.
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
    """A description that lets somebody else judge whether their machine is alike."""

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
