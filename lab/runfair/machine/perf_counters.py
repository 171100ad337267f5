"""The kernel's performance counters (perf_event_open(2)): cycles, instructions, system calls.

The lab opens the counters itself, on existing threads, with a system call for each thread. The perf
command would run as another process during each load.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.machine.kernel_files import ROOT, read_number

HARDWARE = 0
SOFTWARE = 1
TRACEPOINT = 2

INHERIT = 1 << 1
EXCLUDE_KERNEL_AND_HYPERVISOR = 1 << 5 | 1 << 6

# The format in which a counter is read (read_format): the value, the time for which the event was
# enabled, and the time for which it was counted.
TIMES = 1 << 0 | 1 << 1

# The numbers of the system call (asm/unistd), and struct perf_event_attr of PERF_ATTR_SIZE_VER5;
# all fields not named here are zero.
_NUMBERS = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTE_BYTES = 112
_CLOSE_ON_EXEC = 8


def open_counter(kind: int, event: int, flags: int, thread: int = 0, read_format: int = 0) -> int:
    """The descriptor of a running counter of a thread, on any processor; thread 0 is the calling
    thread. Raises OSError if the kernel has no such counter, or refuses to open it."""
    number = _NUMBERS.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    no_sampling = (0, 0)
    attributes = struct.pack(
        "=IIQQQQQ", kind, _ATTRIBUTE_BYTES, event, *no_sampling, read_format, flags
    ).ljust(_ATTRIBUTE_BYTES, b"\0")
    library = ctypes.CDLL(None, use_errno=True)
    any_processor, no_group = -1, -1
    counter = library.syscall(
        ctypes.c_long(number),
        ctypes.c_char_p(attributes),
        thread,
        any_processor,
        no_group,
        ctypes.c_ulong(_CLOSE_ON_EXEC),
    )
    if counter < 0:
        why = ctypes.get_errno()
        raise OSError(why, os.strerror(why))
    return int(counter)


def value_of(counter: int) -> int:
    (count,) = struct.unpack("=Q", os.read(counter, 8))
    return int(count)


def timed_value_of(counter: int) -> tuple[int, int, int]:
    """The value of a counter that was opened with TIMES, and the times in ns for which the event
    was enabled and for which it was counted."""
    value, enabled_ns, running_ns = struct.unpack("=QQQ", os.read(counter, 24))
    return int(value), int(enabled_ns), int(running_ns)


class Counters:
    """Opened counters by name, one for each thread. The counters are closed by `close`, or when the
    context is left."""

    def __init__(self, names: Iterable[str]) -> None:
        self._counters: dict[str, list[int]] = {name: [] for name in names}

    def close(self) -> None:
        for counters in self._counters.values():
            while counters:
                os.close(counters.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _add(
        self, name: str, kind: int, event: int, flags: int, thread: int, read_format: int = 0
    ) -> int | None:
        """Open a counter; None if its thread has ended. Raises OSError in the same cases as
        `open_counter`."""
        try:
            counter = open_counter(kind, event, flags, thread, read_format)
        except ProcessLookupError:
            return None
        self._counters[name].append(counter)
        return counter


@dataclass(frozen=True)
class CountedEvents:
    """The events for cycles and for instructions: (type, config) of linux/perf_event.h."""

    cycles: tuple[int, int]
    instructions: tuple[int, int]


HARDWARE_EVENTS = CountedEvents(cycles=(HARDWARE, 0), instructions=(HARDWARE, 1))


class ProcessorCounters(Counters):
    """Counts cycles and instructions of these threads and of all threads that they start, until it
    is closed. The kernel's work for the threads is included if counting it is permitted.

    Raises OSError if there are no counters, or if counting is forbidden; `counting_refusal` returns
    the reason as text. Tests use other `events` than the processor's.
    """

    def __init__(self, threads: Iterable[int], events: CountedEvents = HARDWARE_EVENTS) -> None:
        super().__init__(("cycles", "instructions"))
        self._user_only = False
        those = list(threads)
        try:
            try:
                self._open(those, events, 0)
            except PermissionError:
                self.close()
                self._user_only = True
                self._open(those, events, EXCLUDE_KERNEL_AND_HYPERVISOR)
        except OSError:
            self.close()
            raise

    def read(self) -> ProcessorCounts:
        return ProcessorCounts(
            cycles=_sum(self._counters["cycles"]),
            instructions=_sum(self._counters["instructions"]),
            user_only=self._user_only,
        )

    def _open(self, threads: list[int], events: CountedEvents, without: int) -> None:
        named = (("cycles", events.cycles), ("instructions", events.instructions))
        for name, (kind, event) in named:
            for thread in threads:
                self._add(name, kind, event, INHERIT | without, thread, TIMES)


def _sum(counters: list[int]) -> CounterReading:
    told = [timed_value_of(counter) for counter in counters]
    return CounterReading(
        value=sum(value for value, _, _ in told),
        enabled_ns=sum(enabled_ns for _, enabled_ns, _ in told),
        running_ns=sum(running_ns for _, _, running_ns in told),
    )


_PARANOID = "proc/sys/kernel/perf_event_paranoid"
_NO_COUNTER = (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.ENXIO)


def counting_refusal(events: CountedEvents = HARDWARE_EVENTS, root: Path = ROOT) -> str:
    """The reason why cycles and instructions of this process cannot be counted; empty if they
    can."""
    try:
        counters = ProcessorCounters([os.getpid()], events)
    except OSError as error:
        return _why_refused(error, root)
    with counters:
        # Under some hypervisors a counter can be opened but never advances.
        sum(range(10_000))
        seen = counters.read()
    if not (seen.cycles.value and seen.instructions.value):
        return "the counters always read zero, because the hypervisor does not provide them"
    return ""


def _why_refused(error: OSError, root: Path) -> str:
    if isinstance(error, PermissionError):
        level = read_number(root, _PARANOID)
        return (
            "the kernel does not allow access to the counters, because "
            f"kernel.perf_event_paranoid is {level}; type: sudo sysctl "
            "kernel.perf_event_paranoid=1"
        )
    if error.errno in _NO_COUNTER:
        return "the processor, or the hypervisor, provides no counters"
    return os.strerror(error.errno or 0).lower()


_TRACEPOINT = "events/raw_syscalls/sys_enter/id"
_TRACEFS = "sys/kernel/tracing"
# The file system is mounted in a separate mount namespace, so it does not stay mounted.
_READ_UNMOUNTED = f"mount -t tracefs none /{_TRACEFS} && cat /{_TRACEFS}/{_TRACEPOINT}"

# PERF_EVENT_IOC_SET_FILTER of linux/perf_event.h.
_SET_FILTER = 0x40082406

# The numbers of system calls are from asm/unistd_64.h and asm-generic/unistd.h.
_CALL_NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {
    "x86_64": {
        "read": (0, 17, 19, 45, 47, 295, 299, 327),
        "write": (1, 18, 20, 40, 44, 46, 296, 307, 328),
        "wait": (7, 23, 35, 230, 232, 270, 271, 281, 426, 441),
        "lock": (202, 449, 454, 455, 456),
    },
    "aarch64": {
        "read": (63, 65, 67, 69, 207, 212, 243, 286),
        "write": (64, 66, 68, 70, 71, 206, 211, 269, 287),
        "wait": (22, 72, 73, 101, 115, 426, 441),
        "lock": (98, 449, 454, 455, 456),
    },
}


@dataclass(frozen=True)
class SystemCalls:
    """Numbers of system calls by kind: `read` and `write` on files, sockets and other descriptors,
    `wait` for events and time, `lock` for futex(2), and `other` for all others."""

    read: int
    write: int
    wait: int
    lock: int
    other: int


class SystemCallCounters(Counters):
    """Counts the system calls of these threads and of all threads that they start, by kind, until
    it is closed. The counter uses the kernel's tracepoint at the entry of system calls.

    `/proc/PID/io` cannot replace it: that file counts read(2), write(2) and similar calls, but not
    recv(2) and send(2). While the tracepoint is active, every system call on the machine takes some
    hundred nanoseconds longer, so no figure is measured at that time. Raises OSError if counting is
    forbidden, or if there is no tracepoint.
    """

    def __init__(self, threads: Iterable[int]) -> None:
        numbers = _CALL_NUMBERS.get(platform.machine())
        if numbers is None:
            raise OSError(
                errno.ENOSYS,
                (
                    "runfair cannot count system calls here, because it does not know their "
                    "numbers on this architecture"
                ),
            )
        filters = {"all": "", **{kind: _filter(those) for kind, those in numbers.items()}}
        tracepoint = _tracepoint()
        super().__init__(filters)
        try:
            for thread in threads:
                self._open(thread, tracepoint, filters)
        except OSError:
            self.close()
            raise

    def read(self) -> SystemCalls:
        sums = {kind: sum(map(value_of, counters)) for kind, counters in self._counters.items()}
        known = {kind: sums[kind] for kind in ("read", "write", "wait", "lock")}
        # The counters are read one after another while the threads run.
        return SystemCalls(**known, other=max(0, sums["all"] - sum(known.values())))

    def _open(self, thread: int, tracepoint: int, filters: dict[str, str]) -> None:
        for kind, asked in filters.items():
            counter = self._add(kind, TRACEPOINT, tracepoint, INHERIT, thread)
            if counter is None:
                return
            if asked:
                fcntl.ioctl(counter, _SET_FILTER, asked.encode() + b"\0")


def _filter(numbers: Iterable[int]) -> str:
    return " || ".join(f"id == {number}" for number in numbers)


def _tracepoint() -> int:
    """The number of the tracepoint. Only root may read the number of the tracepoint."""
    for root in (_TRACEFS, "sys/kernel/debug/tracing"):
        number = read_number(ROOT, f"{root}/{_TRACEPOINT}")
        if number is not None:
            return number
    asked = ["unshare", "--mount", "sh", "-c", _READ_UNMOUNTED]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    if told.returncode != 0 or not told.stdout.strip().isdigit():
        raise OSError(errno.EACCES, "the kernel's tracepoints cannot be read")
    return int(told.stdout)
