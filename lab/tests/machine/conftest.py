"""Recorded machines as small /sys and /proc trees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

CPU = "sys/devices/system/cpu"


def write_tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def core_files(number: int, *, core: int, socket: int, siblings: str) -> dict[str, str]:
    folder = f"{CPU}/cpu{number}/topology"
    return {
        f"{folder}/core_id": str(core),
        f"{folder}/physical_package_id": str(socket),
        f"{folder}/thread_siblings_list": siblings,
    }


@pytest.fixture
def guest(tmp_path: Path) -> Path:
    """A guest with 2 processors: no cpufreq, no turbo switch, cgroups v1."""
    files = {
        f"{CPU}/online": "0-1",
        f"{CPU}/isolated": "",
        f"{CPU}/smt/active": "0",
        "proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor lm",
        "proc/loadavg": "0.02 0.03 0.00 1/95 11211",
        "proc/swaps": "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority",
        "proc/sys/kernel/randomize_va_space": "2",
        "proc/sys/kernel/random/boot_id": "987a6cc4-6351-406f-8aa3-6a40fb944ec8",
        "proc/self/cgroup": "3:cpuset:/\n2:cpuacct:/\n1:cpu:/\n0::/",
        "sys/fs/cgroup/cpuset/cpuset.effective_cpus": "0-1",
        "sys/fs/cgroup/cpu/tasks": "1",
        "sys/fs/cgroup/memory/tasks": "1",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc kvm-clock ",
        "sys/devices/system/node/node0/cpulist": "0-1",
    }
    for number in range(2):
        files |= core_files(number, core=number, socket=0, siblings=str(number))
        files[f"{CPU}/cpu{number}/cpu_capacity"] = "1024"
    return write_tree(tmp_path / "guest", files)


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    """8 cores of 2 threads, thread n + 8 beside thread n; everything left as delivered."""
    files = {
        f"{CPU}/online": "0-15",
        f"{CPU}/isolated": "",
        f"{CPU}/smt/active": "1",
        f"{CPU}/intel_pstate/no_turbo": "0",
        "proc/cpuinfo": "model name\t: Intel(R) Core(TM) i9-9880H\nflags\t\t: fpu vme lm",
        "proc/loadavg": "3.10 2.00 1.00 5/900 4242",
        "proc/swaps": (
            "Filename\tType\t\tSize\tUsed\tPriority\n"
            "/dev/dm-1 partition\t8388604\t204800\t-2\n"
            "/swapfile file\t\t1024\t1024\t-3"
        ),
        "proc/sys/kernel/randomize_va_space": "0",
        "proc/self/cgroup": "0::/user.slice",
        "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm",
        "sys/devices/system/node/node0/cpulist": "0-15",
        "sys/class/dmi/id/sys_vendor": "LENOVO",
        "run/systemd/system/empty": "",
    }
    for number in range(16):
        core = number % 8
        files |= core_files(number, core=core, socket=0, siblings=f"{core},{core + 8}")
        files[f"{CPU}/cpu{number}/cpufreq/scaling_governor"] = "powersave"
    return write_tree(tmp_path / "laptop", files)


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """2 sockets, 2 nodes of 8 cores, one thread each; 6, 7, 14 and 15 isolated; quietened."""
    files = {
        f"{CPU}/online": "0-15",
        f"{CPU}/isolated": "6-7,14-15",
        f"{CPU}/smt/active": "0",
        f"{CPU}/cpufreq/boost": "0",
        "proc/cpuinfo": "model name\t: AMD EPYC 7302\nflags\t\t: fpu vme lm",
        "proc/loadavg": "0.10 0.10 0.10 1/400 999",
        "proc/swaps": "Filename\tType\tSize\tUsed\tPriority",
        "proc/sys/kernel/randomize_va_space": "2",
        "sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/devices/system/node/node0/cpulist": "0-7",
        "sys/devices/system/node/node1/cpulist": "8-15",
    }
    for number in range(16):
        files |= core_files(number, core=number % 8, socket=number // 8, siblings=str(number))
        files[f"{CPU}/cpu{number}/cpufreq/scaling_governor"] = "performance"
    return write_tree(tmp_path / "server", files)


@pytest.fixture
def container(tmp_path: Path) -> Path:
    """A container that may use processors 2 and 3 of 8, by cgroup v2 seen from inside."""
    files = {
        f"{CPU}/online": "0-7",
        f"{CPU}/isolated": "",
        "proc/self/cgroup": "0::/../../host/path",
        "sys/fs/cgroup/cpuset.cpus.effective": "2-3",
        "sys/fs/cgroup/cgroup.controllers": "cpuset memory",
    }
    for number in range(8):
        files |= core_files(number, core=number, socket=0, siblings=str(number))
    return write_tree(tmp_path / "container", files)
