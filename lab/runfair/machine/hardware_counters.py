"""Whether this process may read the processor's own counters: found by trying."""

from __future__ import annotations

import os

from runfair.machine.perf_event import (
    EXCLUDE_KERNEL_AND_HYPERVISOR,
    HARDWARE,
    open_counter,
    value_of,
)

_CPU_CYCLES = 0
_INSTRUCTIONS = 1


def available() -> bool:
    """True when both cycles and instructions of this process can be counted, and do count."""
    return _counts(_CPU_CYCLES) and _counts(_INSTRUCTIONS)


def _counts(event: int) -> bool:
    try:
        counter = open_counter(HARDWARE, event, EXCLUDE_KERNEL_AND_HYPERVISOR)
    except OSError:
        return False
    try:
        # Some hypervisors let the counter be opened and then never advance it.
        sum(range(10_000))
        return value_of(counter) > 0
    except OSError:
        return False
    finally:
        os.close(counter)
