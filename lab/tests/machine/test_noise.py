from pathlib import Path

import pytest

from runfair.formats.host import Gate
from runfair.machine.interference import BusyProcess
from runfair.machine.noise import gates
from runfair.machine.processors import read_topology

ALL_16 = range(16)


def by_name(root: Path, measured: set[int], affinity: set[int]) -> dict[str, Gate]:
    found = gates(measured, (), root, read_topology(root, affinity))
    return {gate.name: gate for gate in found}


def test_guest_is_unknown_where_it_is_not_told(guest: Path) -> None:
    found = by_name(guest, {1}, {0, 1})
    unknown = {name for name, gate in found.items() if gate.state == "unknown"}
    assert unknown == {"frequency governor", "turbo", "hardware threads"}
    assert found["isolation"].state == "disturbing"
    assert "isolcpus=1 " in found["isolation"].command


def test_laptop_as_delivered_disturbs_in_every_way_with_a_remedy(laptop: Path) -> None:
    found = by_name(laptop, {14, 15}, set(ALL_16))
    quiet = {name for name, gate in found.items() if gate.state != "disturbing"}
    assert quiet == {"other programs"}
    commands = {name: gate.command for name, gate in found.items()}
    cpu = "/sys/devices/system/cpu"
    assert commands["frequency governor"] == (
        f"echo performance | sudo tee {cpu}/cpu14/cpufreq/scaling_governor "
        f"{cpu}/cpu15/cpufreq/scaling_governor"
    )
    assert commands["turbo"] == f"echo 1 | sudo tee {cpu}/intel_pstate/no_turbo"
    assert commands["hardware threads"] == f"echo 0 | sudo tee {cpu}/cpu6/online {cpu}/cpu7/online"
    assert commands["isolation"] == (
        "sudo systemctl set-property --runtime system.slice AllowedCPUs=0-13"
    )
    assert commands["swap"] == "sudo swapoff -a"
    assert found["swap"].found == "201 MiB used"
    assert all(gate.command for gate in found.values() if gate.state == "disturbing")


def test_a_quietened_server_is_quiet(server: Path) -> None:
    found = by_name(server, {15}, set(ALL_16) - {6, 7, 14, 15})
    assert {gate.state for gate in found.values()} == {"quiet"}
    assert "full, as it should be" in found["address randomisation"].found


@pytest.mark.parametrize("virtual", [True, False])
def test_only_a_guests_frequency_is_controlled_by_its_host(guest: Path, *, virtual: bool) -> None:
    if not virtual:
        (guest / "proc/cpuinfo").write_text("processor : 0\nflags : fpu tsc\n")
        for each in ("sys_vendor", "product_name"):
            (guest / "sys/class/dmi/id" / each).unlink(missing_ok=True)
    found = by_name(guest, {1}, {0, 1})["frequency governor"]
    assert found.state == "unknown"
    assert ("the host of this virtual machine" in found.found) == virtual


def test_amd_turbo_has_a_switch_of_its_own(server: Path) -> None:
    (server / "sys/devices/system/cpu/cpufreq/boost").write_text("1\n")
    gate = by_name(server, {15}, set(ALL_16))["turbo"]
    assert gate.state == "disturbing"
    assert gate.command == "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"


def test_one_powersaving_processor_among_the_measured_disturbs(server: Path) -> None:
    (server / "sys/devices/system/cpu/cpu9/cpufreq/scaling_governor").write_text("schedutil\n")
    assert by_name(server, {9, 10}, set(ALL_16))["frequency governor"].state == "disturbing"
    assert by_name(server, {10, 11}, set(ALL_16))["frequency governor"].state == "quiet"


def test_nothing_unread_is_ever_quiet(tmp_path: Path) -> None:
    found = by_name(tmp_path, {0}, {0, 1})
    del found["other programs"]  # not read from files
    assert {gate.state for gate in found.values()} == {"unknown"}


def test_busy_programs_are_named() -> None:
    busy = (BusyProcess(42, "rustc", 0.97), BusyProcess(7, "python", 0.5))
    gate = {each.name: each for each in gates({0}, busy)}["other programs"]
    assert gate.state == "disturbing"
    assert gate.found == "rustc 97%, python 50%"
    assert "-p 42,7" in gate.command
