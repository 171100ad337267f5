"""The gates of this machine: properties that disturb measurement, each with the command that would
remove the disturbance.

A gate is `quiet` only if the machine reports that it is quiet. If the machine does not report the
property, the gate is `unknown`. The lab changes none of these properties by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from runfair.formats.host import Gate
from runfair.machine import host
from runfair.machine.interference import BusyProcess, load
from runfair.machine.kernel_files import ROOT, format_processors, read_number, read_text
from runfair.machine.processors import Topology, read_topology

# The load per processor over the last minute. Above it, other programs are assumed to be running (a
# proposal). The foreign time that the launcher measures during each execution is decisive.
LOAD_PER_PROCESSOR = 0.1

# Slow clock sources. Reading them needs a system call or a device access of a microsecond or more,
# while others are read in user space.
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit")

_CPU = "/sys/devices/system/cpu"


def gates(
    measured: Collection[int],
    busy: tuple[BusyProcess, ...],
    root: Path = ROOT,
    topology: Topology | None = None,
) -> list[Gate]:
    """All gates for the processors `measured`. `busy` is the result of `busy_processes`."""
    machine = read_topology(root) if topology is None else topology
    return [
        governor(measured, machine, root),
        turbo(root),
        siblings(measured, machine, root),
        isolation(measured, machine, root),
        address_randomisation(root),
        huge_pages(root),
        clock(root),
        swap(root),
        load_average(machine, root),
        other_programs(busy),
    ]


def governor(measured: Collection[int], machine: Topology, root: Path) -> Gate:
    name = "frequency governor"
    found = {each.governor for each in machine.processors if each.number in measured}
    if not found or None in found:
        why = "the kernel has no driver for the CPU frequency"
        if host.virtualised(root).startswith("guest"):
            why = "the host of this virtual machine controls the CPU frequency"
        return Gate(name=name, state="unknown", found=f"not visible here, because {why}")
    text = ", ".join(sorted(map(str, found)))
    if found == {"performance"}:
        return Gate(name=name, state="quiet", found=text)
    files = " ".join(f"{_CPU}/cpu{n}/cpufreq/scaling_governor" for n in sorted(measured))
    return _disturbing(name, text, f"echo performance | sudo tee {files}")


def turbo(root: Path) -> Gate:
    name = "turbo"
    found = host.turbo(root)
    if found != "on":
        state = "quiet" if found == "off" else "unknown"
        return Gate.model_validate({"name": name, "state": state, "found": found})
    if read_number(root, f"{_CPU}/intel_pstate/no_turbo") is not None:
        return _disturbing(name, found, f"echo 1 | sudo tee {_CPU}/intel_pstate/no_turbo")
    return _disturbing(name, found, f"echo 0 | sudo tee {_CPU}/cpufreq/boost")


def siblings(measured: Collection[int], machine: Topology, root: Path) -> Gate:
    """The gate of hardware threads: whether another thread of a core can slow the measured
    threads."""
    name = "hardware threads"
    others = machine.siblings(measured)
    if others:
        files = " ".join(f"{_CPU}/cpu{n}/online" for n in sorted(others))
        return _disturbing(
            name,
            (
                f"the processors {format_processors(others)} are hardware threads of the same "
                "cores as the measured processors, so programs on them slow the measured "
                "programs down"
            ),
            f"echo 0 | sudo tee {files}",
        )
    if host.virtualised(root).startswith("guest"):
        return Gate(
            name=name,
            state="unknown",
            found=(
                "no other hardware thread of this virtual machine shares a core with a "
                "measured processor, but other guests of the host may use the same cores"
            ),
        )
    known = [each.core for each in machine.processors if each.number in measured]
    if not known or None in known:
        return Gate(name=name, state="unknown", found=host.NOT_TOLD)
    if len(set(measured)) > len(
        {(e.socket, e.core) for e in machine.processors if e.number in measured}
    ):
        return _disturbing(
            name,
            (
                "two measured processors are hardware threads of the same core, so they slow each "
                "other down"
            ),
            "",
        )
    return Gate(
        name=name,
        state="quiet",
        found="no other hardware thread shares a core with a measured processor",
    )


def isolation(measured: Collection[int], machine: Topology, root: Path) -> Gate:
    """The gate of isolation: whether the scheduler keeps other programs off the measured
    processors."""
    name = "isolation"
    if read_text(root, f"{_CPU}/isolated") is None:
        return Gate(name=name, state="unknown", found=host.NOT_TOLD)
    shared = frozenset(measured) - machine.isolated
    if not shared:
        return Gate(name=name, state="quiet", found=f"{format_processors(measured)} isolated")
    found = (
        "the kernel may also run other programs on the measured processors "
        f"{format_processors(shared)}, which would disturb the measured programs"
    )
    left = machine.allowed - frozenset(measured)
    if not left:
        return _disturbing(name, found, "")
    if len(measured) > 1:
        # isolcpus is not recommended for several processors, because the kernel does not balance
        # threads between isolated processors.
        command = (
            "sudo systemctl set-property --runtime system.slice "
            f"AllowedCPUs={format_processors(left)}"
        )
        has_systemd = (root / "run/systemd/system").exists()
        return _disturbing(name, found, command if has_systemd else "")
    one = format_processors(measured)
    return _disturbing(
        name,
        found,
        (
            f"add isolcpus={one} nohz_full={one} rcu_nocbs={one} to the kernel's command line, and "
            "then reboot"
        ),
    )


def address_randomisation(root: Path) -> Gate:
    """The gate of address randomisation. Address randomisation should be on, because each execution
    then has a new memory layout, and a confidence interval over executions includes the effect of
    layouts. If address randomisation is off, all executions share one layout, which may be faster
    or slower than usual (Curtsinger and Berger, "Stabilizer", ASPLOS 2013)."""
    name = "address randomisation"
    found = host.address_randomisation(root)
    if found == "full":
        return Gate(
            name=name,
            state="quiet",
            found=(
                "full, as it should be, so that each execution of a program has a different "
                "memory layout"
            ),
        )
    if found == host.NOT_TOLD:
        return Gate(name=name, state="unknown", found=found)
    return _disturbing(
        name,
        f"{found}, so all executions of a program have the same memory layout, which may "
        "favour one program by chance",
        "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space",
    )


def huge_pages(root: Path) -> Gate:
    """The gate of huge pages: with `always`, a kernel thread merges pages at arbitrary times."""
    name = "transparent huge pages"
    found = host.transparent_huge_pages(root)
    if found == "always":
        return _disturbing(
            name, found, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
        )
    state = "unknown" if found == host.NOT_TOLD else "quiet"
    return Gate.model_validate({"name": name, "state": state, "found": found})


def clock(root: Path) -> Gate:
    name = "clock source"
    found = host.clock_source(root)
    if found in SLOW_CLOCKS:
        return _disturbing(
            name,
            f"{found}, slow to read",
            "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
    state = "unknown" if found == host.NOT_TOLD else "quiet"
    return Gate.model_validate({"name": name, "state": state, "found": found})


def swap(root: Path) -> Gate:
    name = "swap"
    text = read_text(root, "proc/swaps")
    if text is None:
        return Gate(name=name, state="unknown", found=host.NOT_TOLD)
    used_kib = sum(int(match[1]) for match in re.finditer(r"\s\d+\s+(\d+)\s+-?\d+$", text, re.M))
    if used_kib:
        return _disturbing(name, f"{used_kib / 1024:.0f} MiB used", "sudo swapoff -a")
    return Gate(name=name, state="quiet", found="none used")


def load_average(machine: Topology, root: Path) -> Gate:
    name = "load"
    value = load(root)
    if value is None:
        return Gate(name=name, state="unknown", found=host.NOT_TOLD)
    found = f"{value:.2f} over the last minute"
    if value > LOAD_PER_PROCESSOR * len(machine.processors):
        return _disturbing(name, found, "ps -eo pid,pcpu,comm --sort=-pcpu | head")
    return Gate(name=name, state="quiet", found=found)


def other_programs(busy: tuple[BusyProcess, ...]) -> Gate:
    name = "other programs"
    if not busy:
        return Gate(name=name, state="quiet", found="none busy")
    found = ", ".join(f"{each.name} {each.share:.0%}" for each in busy)
    pids = ",".join(str(each.pid) for each in busy)
    return _disturbing(
        name,
        found,
        f"ps -o pid,user,etime,args -p {pids}  # end these processes, or wait for them",
    )


def _disturbing(name: str, found: str, command: str) -> Gate:
    return Gate(name=name, state="disturbing", found=found, command=command)
