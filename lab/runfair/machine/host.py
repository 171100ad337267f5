"""The description of this machine, read from the kernel: its hardware and settings, its network
interfaces, and whether a time service keeps its clock."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import socket
import struct
from contextlib import suppress
from pathlib import Path

from runfair.formats.host import Calibration, Host
from runfair.machine.kernel_files import ROOT, boot_id, read_number, read_text
from runfair.machine.perf_counters import counting_refusal
from runfair.machine.processors import read_topology

NOT_TOLD = "not told"

_CLOCK = "sys/devices/system/clocksource/clocksource0"
_HYPERVISOR_CLOCKS = {"kvm-clock": "KVM", "hyperv": "Hyper-V", "xen": "Xen", "vmware": "VMware"}
_VIRTUAL_PRODUCTS = re.compile(
    r"KVM|QEMU|VMware|VirtualBox|Virtual Machine|Xen|Bochs|Amazon EC2|Google Compute|"
    r"OpenStack|Parallels|Apple Virtualization|Firecracker|DigitalOcean|HVM"
)
_ADDRESS_RANDOMISATION = {0: "off", 1: "without the heap", 2: "full"}
# Arm reports numbers instead of names: Arm ARM, MIDR_EL1, "Implementer".
_ARM_IMPLEMENTERS = {
    "0x41": "Arm",
    "0x48": "HiSilicon",
    "0x51": "Qualcomm",
    "0x61": "Apple",
    "0xc0": "Ampere",
}


def describe(calibration: Calibration | None = None, root: Path = ROOT) -> Host:
    """The present description of this machine. `not told` and None mean that the kernel does not
    report a value."""
    system = os.uname()
    topology = read_topology(root)
    refused = counting_refusal()
    governors = {each.governor for each in topology.processors} - {None}
    return Host(
        name=system.nodename,
        boot_id=boot_id(root),
        system=_distribution(root),
        kernel=f"{system.sysname} {system.release}",
        architecture=system.machine,
        processor_model=processor_model(root),
        processors=list(topology.processors),
        memory_bytes=_memory_bytes(root),
        firmware=firmware(root),
        virtualised=virtualised(root),
        clock_source=clock_source(root),
        frequency_scaling=", ".join(sorted(map(str, governors))) or NOT_TOLD,
        turbo=turbo(root),
        address_randomisation=address_randomisation(root),
        transparent_huge_pages=transparent_huge_pages(root),
        hardware_counters=not refused,
        hardware_counters_refusal=refused,
        cgroup=control_groups(root),
        calibration=calibration,
    )


def processor_model(root: Path = ROOT) -> str:
    """The processor's marketing name, or on Arm its implementer and part number."""
    fields = _fields(read_text(root, "proc/cpuinfo") or "")
    if "model name" in fields:
        return fields["model name"]
    if "CPU part" in fields:
        maker = fields.get("CPU implementer", "")
        return f"{_ARM_IMPLEMENTERS.get(maker, maker)} part {fields['CPU part']}".strip()
    return NOT_TOLD


def firmware(root: Path = ROOT) -> str:
    """The maker, version and date of the machine's firmware, and the version of the processors'
    microcode."""
    names = (f"sys/class/dmi/id/bios_{each}" for each in ("vendor", "version", "date"))
    parts = [text for name in names if (text := read_text(root, name))]
    fields = _fields(read_text(root, "proc/cpuinfo") or "")
    if version := fields.get("microcode"):
        parts.append(f"microcode {version}")
    return " ".join(parts) or NOT_TOLD


def virtualised(root: Path = ROOT) -> str:
    """Whether this is a virtual machine: `guest (KVM)`, `guest`, `no`, or `not told`.

    x86 has a bit that marks a guest (CPUID leaf 1, ECX 31, "hypervisor"). Arm has no such bit: the
    firmware's names can show that this is a guest, but nothing can show that it is not.
    """
    names = [read_text(root, f"sys/class/dmi/id/{each}") for each in ("sys_vendor", "product_name")]
    product = _VIRTUAL_PRODUCTS.search(" ".join(each for each in names if each))
    flags = _fields(read_text(root, "proc/cpuinfo") or "").get("flags")
    if product is None and (flags is None or "hypervisor" not in flags.split()):
        return "no" if flags is not None else NOT_TOLD
    clocks = read_text(root, f"{_CLOCK}/available_clocksource") or ""
    by_clock = next((name for clock, name in _HYPERVISOR_CLOCKS.items() if clock in clocks), None)
    maker = by_clock or (product[0] if product else None)
    return f"guest ({maker})" if maker else "guest"


def clock_source(root: Path = ROOT) -> str:
    return read_text(root, f"{_CLOCK}/current_clocksource") or NOT_TOLD


def turbo(root: Path = ROOT) -> str:
    """The state of turbo frequencies: `on`, `off` or `not told`."""
    disabled = read_number(root, "sys/devices/system/cpu/intel_pstate/no_turbo")
    if disabled is not None:
        return "off" if disabled else "on"
    enabled = read_number(root, "sys/devices/system/cpu/cpufreq/boost")
    if enabled is not None:
        return "on" if enabled else "off"
    return NOT_TOLD


def address_randomisation(root: Path = ROOT) -> str:
    """Address randomisation: `full`, `without the heap`, `off` or `not told` (proc(5),
    randomize_va_space)."""
    number = read_number(root, "proc/sys/kernel/randomize_va_space")
    return NOT_TOLD if number is None else _ADDRESS_RANDOMISATION.get(number, str(number))


def transparent_huge_pages(root: Path = ROOT) -> str:
    """Transparent huge pages: `always`, `madvise`, `never` or `not told`."""
    text = read_text(root, "sys/kernel/mm/transparent_hugepage/enabled") or ""
    chosen = re.search(r"\[(\w+)\]", text)
    return chosen[1] if chosen else NOT_TOLD


def control_groups(root: Path = ROOT) -> str:
    """The version of cgroups, and the needed controllers that this user may write."""
    base = root / "sys/fs/cgroup"
    wanted = ("cpu", "memory")
    unified = read_text(root, "sys/fs/cgroup/cgroup.controllers")
    if unified is not None:
        here = [each for each in wanted if each in unified.split()]
        state = "writable" if os.access(base, os.W_OK) else "read-only"
        return f"v2 ({', '.join(here) or 'no controllers'}; {state})"
    mounted = [each for each in wanted if (base / each / "tasks").exists()]
    if mounted:
        writable = all(os.access(base / each, os.W_OK) for each in mounted)
        return f"v1 ({', '.join(mounted)}; {'writable' if writable else 'read-only'})"
    return "none"


def _distribution(root: Path) -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', read_text(root, "etc/os-release") or "", re.M)
    return match[1] if match else NOT_TOLD


def _memory_bytes(root: Path) -> int:
    """The size of the physical memory, without the part that the kernel reserves for itself."""
    match = re.search(r"^MemTotal:\s*(\d+) kB", read_text(root, "proc/meminfo") or "", re.M)
    if match is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(match[1]) * 1024


def _fields(text: str) -> dict[str, str]:
    """The `key : value` lines of the first processor, and all later lines with other keys."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator:
            found.setdefault(key.strip(), value.strip())
    return found


_GET_ADDRESS = 0x8915  # SIOCGIFADDR (netdevice(7))
_REQUEST = struct.Struct("16s24s")  # struct ifreq: the interface's name, and a union
_ADDRESS = slice(20, 24)  # sin_addr of the sockaddr_in in that union


def interface_addresses() -> dict[str, str]:
    """The first IPv4 address of each interface that has one."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # the interface has no address
                request = _REQUEST.pack(name.encode(), b"")
                answer = fcntl.ioctl(asked, _GET_ADDRESS, request)
                found[name] = socket.inet_ntoa(answer[_ADDRESS])
    return found


_TIMEX_BYTES = 208  # struct timex; all zero, it changes nothing
_TIME_ERROR = 5  # the kernel's clock is not synchronised (adjtimex(2))


def clock_is_kept() -> bool | None:
    """Whether a service synchronises the kernel's clock; None if the kernel does not tell."""
    library = ctypes.CDLL(None, use_errno=True)
    state = library.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    return None if state < 0 else state != _TIME_ERROR
