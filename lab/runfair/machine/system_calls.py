"""System calls of living threads by kind, counted by the kernel's tracepoint at their entry.

`/proc/PID/io` counts calls too, but only those of read(2), write(2) and their like: what a runtime
receives and sends by recv(2) and send(2) is not in it, so two runtimes cannot be compared by it.
The tracepoint is perf_event_open(2)'s, for those whom the kernel lets (CAP_PERFMON). It costs every
system call of the machine some hundred nanoseconds while it counts: no figure is taken meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from runfair.machine.kernel_files import ROOT, read_number
from runfair.machine.perf_event import INHERIT, TRACEPOINT, Counters, value_of

_TRACEPOINT = "events/raw_syscalls/sys_enter/id"
_TRACEFS = "sys/kernel/tracing"
# In a mount namespace of its own: nothing stays mounted.
_READ_UNMOUNTED = f"mount -t tracefs none /{_TRACEFS} && cat /{_TRACEFS}/{_TRACEPOINT}"

# PERF_EVENT_IOC_SET_FILTER of linux/perf_event.h.
_SET_FILTER = 0x40082406

# Numbers by asm/unistd_64.h and asm-generic/unistd.h.
_NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {
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
    """How many there were: `read` and `write` on whatever, sockets among it; `wait` for events and
    for time; `lock` is futex(2); `other` is the rest."""

    read: int
    write: int
    wait: int
    lock: int
    other: int


class SystemCallCounters(Counters):
    """Counts from its making on, until it is closed, for these threads and all that they start.

    Raises OSError where the kernel does not let: a caller that may not, or no tracepoint.
    """

    def __init__(self, threads: Iterable[int]) -> None:
        numbers = _NUMBERS.get(platform.machine())
        if numbers is None:
            raise OSError(errno.ENOSYS, "its numbers are not known on this architecture")
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
        # The counters are read one after another while the threads go on.
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
    """The tracepoint's number, which root alone may read."""
    for root in (_TRACEFS, "sys/kernel/debug/tracing"):
        number = read_number(ROOT, f"{root}/{_TRACEPOINT}")
        if number is not None:
            return number
    asked = ["unshare", "--mount", "sh", "-c", _READ_UNMOUNTED]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    if told.returncode != 0 or not told.stdout.strip().isdigit():
        raise OSError(errno.EACCES, "the kernel's tracepoints cannot be read")
    return int(told.stdout)
