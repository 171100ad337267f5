"""Whether this process may read the processor's own counters: found by trying."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

# perf_event_open(2): numbers of the system call (asm/unistd), and struct perf_event_attr of
# PERF_ATTR_SIZE_VER5, in which all that is not named here is zero.
_SYSCALL_NUMBERS = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTE_BYTES = 112
_HARDWARE = 0
_CPU_CYCLES = 0
_INSTRUCTIONS = 1
_EXCLUDE_KERNEL_AND_HYPERVISOR = 1 << 5 | 1 << 6


def available() -> bool:
    """True when both cycles and instructions of this process can be counted, and do count."""
    return _counts(_CPU_CYCLES) and _counts(_INSTRUCTIONS)


def _counts(event: int) -> bool:
    number = _SYSCALL_NUMBERS.get(platform.machine())
    if number is None:
        return False
    attributes = struct.pack(
        "=IIQQQQQ",
        _HARDWARE,
        _ATTRIBUTE_BYTES,
        event,
        0,  # a count, no sampling
        0,
        0,
        _EXCLUDE_KERNEL_AND_HYPERVISOR,
    ).ljust(_ATTRIBUTE_BYTES, b"\0")
    library = ctypes.CDLL(None, use_errno=True)
    this_process, any_processor, no_group, no_flags = 0, -1, -1, 0
    counter_fd = library.syscall(
        ctypes.c_long(number),
        ctypes.c_char_p(attributes),
        this_process,
        any_processor,
        no_group,
        ctypes.c_ulong(no_flags),
    )
    if counter_fd < 0:
        return False
    try:
        # Some hypervisors let the counter be opened and then never advance it.
        sum(range(10_000))
        (count,) = struct.unpack("=Q", os.read(counter_fd, 8))
    except OSError:
        return False
    finally:
        os.close(counter_fd)
    return bool(count > 0)
