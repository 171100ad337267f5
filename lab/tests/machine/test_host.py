"""The interfaces of this host: every Linux host has at least loopback.

What the kernel says of its clock, here and in each of its answers.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from runfair.formats.host import Host
from runfair.machine import host
from runfair.machine.host import clock_is_kept, interface_addresses
from runfair.machine.kernel_files import boot_id
from runfair.machine.perf_counters import counting_refusal


def test_this_machine_is_described_by_its_kernel() -> None:
    here = host.describe()
    assert here.boot_id == boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert here.kernel == f"Linux {os.uname().release}"
    assert here.architecture == platform.machine()
    assert {each.number for each in here.processors} >= os.sched_getaffinity(0)
    assert 0 < here.memory_bytes <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert Host.model_validate_json(here.model_dump_json()) == here


def test_guest_is_told_by_the_processors_own_bit(guest: Path) -> None:
    assert host.virtualised(guest) == "guest (KVM)"
    assert host.processor_model(guest) == "AMD EPYC"
    assert host.turbo(guest) == host.NOT_TOLD
    assert host.transparent_huge_pages(guest) == "madvise"
    assert host.control_groups(guest) == "v1 (cpu, memory; writable)"


def test_laptop_is_no_guest(laptop: Path) -> None:
    assert host.virtualised(laptop) == "no"
    assert host.turbo(laptop) == "on"
    assert host.address_randomisation(laptop) == "off"
    assert host.clock_source(laptop) == "hpet"
    assert host.control_groups(laptop) == "v2 (cpu, memory; writable)"


def test_firmware_is_told_by_its_tables_and_the_microcode(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor\t: 0\nmicrocode\t: 0xa0011d1\n")
    assert host.firmware(tmp_path) == "microcode 0xa0011d1"
    tables = tmp_path / "sys/class/dmi/id"
    tables.mkdir(parents=True)
    for name, text in (("vendor", "Maker"), ("version", "2.1"), ("date", "06/01/2026")):
        (tables / f"bios_{name}").write_text(f"{text}\n")
    assert host.firmware(tmp_path) == "Maker 2.1 06/01/2026 microcode 0xa0011d1"


def test_container_has_only_the_controllers_given(container: Path) -> None:
    assert host.control_groups(container) == "v2 (memory; writable)"


def test_arm_without_names_is_told_by_its_parts(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\nFeatures\t: fp asimd\n"
    (tmp_path / "proc/cpuinfo").write_text(text)
    assert host.processor_model(tmp_path) == "Arm part 0xd0c"
    assert host.virtualised(tmp_path) == host.NOT_TOLD
    firmware = tmp_path / "sys/class/dmi/id"
    firmware.mkdir(parents=True)
    (firmware / "product_name").write_text("KVM Virtual Machine\n")
    assert host.virtualised(tmp_path) == "guest (KVM)"


def test_an_unreadable_machine_is_said_not_to_tell(tmp_path: Path) -> None:
    found = host.describe(root=tmp_path)
    told = {
        found.system,
        found.processor_model,
        found.firmware,
        found.virtualised,
        found.clock_source,
        found.frequency_scaling,
        found.turbo,
        found.address_randomisation,
        found.transparent_huge_pages,
    }
    assert told == {host.NOT_TOLD}
    assert found.boot_id == "unknown"
    assert found.cgroup == "none"


def test_counters_need_a_device_of_the_processor() -> None:
    devices = Path("/sys/bus/event_source/devices")
    units = [each for pattern in ("cpu*", "arm*") for each in devices.glob(pattern)]
    if not counting_refusal():
        assert units, "counters were said to count without any counting unit"


def test_counters_leak_no_descriptor() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        counting_refusal()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_counters_of_an_unknown_architecture_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert counting_refusal() != ""


def test_each_interface_has_an_address_to_listen_on() -> None:
    found = interface_addresses()
    assert found["lo"] == "127.0.0.1"
    for address in found.values():
        with socket.create_server((address, 0)) as server:
            assert server.getsockname()[0] == address


def test_this_host_tells_or_does_not() -> None:
    assert clock_is_kept() in (True, False, None)


@pytest.mark.parametrize(("state", "kept"), [(0, True), (1, True), (5, False), (-1, None)])
def test_the_kernel_s_answers(
    state: int, kept: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SimpleNamespace(adjtimex=lambda _: state)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    assert clock_is_kept() is kept
