"""A counter of the kernel's own, opened by perf_event_open(2)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable
from types import TracebackType
from typing import Self

HARDWARE = 0
SOFTWARE = 1
TRACEPOINT = 2

INHERIT = 1 << 1
EXCLUDE_KERNEL_AND_HYPERVISOR = 1 << 5 | 1 << 6

# A read_format: beside the value for how long the event was to be counted, and was.
TIMES = 1 << 0 | 1 << 1

# Numbers of the system call (asm/unistd), and struct perf_event_attr of PERF_ATTR_SIZE_VER5, in
# which all that is not named here is zero.
_NUMBERS = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTE_BYTES = 112
_CLOSE_ON_EXEC = 8


def open_counter(kind: int, event: int, flags: int, thread: int = 0, read_format: int = 0) -> int:
    """A descriptor of a counter that runs at once, of one thread (0: the caller's) on whatever
    processor. OSError where the kernel has no such counter, or does not let."""
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
    """Of one opened with TIMES: the value, and for how long it was to be counted and was, ns."""
    value, enabled_ns, running_ns = struct.unpack("=QQQ", os.read(counter, 24))
    return int(value), int(enabled_ns), int(running_ns)


class Counters:
    """Open counters by name, one a thread; `close`, or leaving the context, ends them."""

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
        """The counter; None where its thread ended meanwhile. OSError as `open_counter`."""
        try:
            counter = open_counter(kind, event, flags, thread, read_format)
        except ProcessLookupError:
            return None
        self._counters[name].append(counter)
        return counter
