"""Whether this process may read the processor's own counters: found by trying."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from runfair.machine.kernel_files import ROOT, read_number
from runfair.machine.processor_counters import (
    HARDWARE_EVENTS,
    CountedEvents,
    ProcessorCounters,
)

_PARANOID = "proc/sys/kernel/perf_event_paranoid"
_NONE = (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.ENXIO)


def refusal(events: CountedEvents = HARDWARE_EVENTS, root: Path = ROOT) -> str:
    """Why cycles and instructions of this process cannot be counted; empty where they can."""
    try:
        counters = ProcessorCounters([os.getpid()], events)
    except OSError as error:
        return _why(error, root)
    with counters:
        # Some hypervisors let the counter be opened and then never advance it.
        sum(range(10_000))
        seen = counters.read()
    if not (seen.cycles.value and seen.instructions.value):
        return "they stand still, as a hypervisor leaves them"
    return ""


def available() -> bool:
    """True when both cycles and instructions of this process can be counted, and do count."""
    return not refusal()


def _why(error: OSError, root: Path) -> str:
    if isinstance(error, PermissionError):
        level = read_number(root, _PARANOID)
        return (
            f"they are forbidden (kernel.perf_event_paranoid is {level}): "
            "sudo sysctl kernel.perf_event_paranoid=1"
        )
    if error.errno in _NONE:
        return "the processor, or the hypervisor it is behind, gives none"
    return os.strerror(error.errno or 0).lower()
