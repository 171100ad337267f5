"""How far an execution's times can be trusted, given the steps of the clocks they were read from.

Each iteration is read by two readings of its own, so the errors of many add up like independent
ones, with the square root of their number (a difference of two readings late by up to one step
has a standard deviation of step / √6; √n steps are beyond twice that of n of them).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from runfair.evidence.run import ExecutionEvidence

# Steps of the kernel's clock sources with the cost of a reading; the HPET and the ACPI timer take
# a microsecond to read, an unknown source is not thought better than they are.
CLOCK_SOURCE_RESOLUTION_NS = {"tsc": 100, "kvm-clock": 100, "arch_sys_counter": 100}
OTHER_CLOCK_SOURCE_RESOLUTION_NS = 1_000

# wait4 and getrusage tell the time of a process in microseconds.
ACCOUNTING_RESOLUTION_NS = 1_000


def relative_error(interval_ns: float, resolution_ns: float) -> float:
    """The greatest relative error of one interval between two readings of a stepping clock.

    Each reading is late by less than one step, so their difference errs by less than one step,
    either way. Many iterations between the same two readings count as one interval. An interval of
    zero has an infinite error. A JDK's process CPU clock steps by 10 ms, so that an iteration of
    55 ms reads as 50 or 60. Raises ValueError for a negative interval or no resolution.
    """
    if interval_ns < 0 or resolution_ns <= 0:
        raise ValueError("the interval must not be negative, the resolution must be positive")
    return resolution_ns / interval_ns if interval_ns > 0 else float("inf")


def steady_cpu_error(execution: ExecutionEvidence) -> float | None:
    """Relative error of the CPU time summed over the steady part; None if the program did not
    report its clock's resolution, or had no iteration."""
    resolution_ns = execution.cpu_resolution_ns
    part_ns = execution.cpu_ns[execution.steady_part]
    if resolution_ns is None or len(part_ns) == 0:
        return None
    return relative_error(float(part_ns.sum()), sqrt(len(part_ns)) * resolution_ns)


def cpu_error(execution: ExecutionEvidence) -> float | None:
    """Relative error of the execution's CPU figure."""
    if execution.mode == "cold" and not execution.record.driven:
        return relative_error(float(execution.record.launch.cpu_ns), ACCOUNTING_RESOLUTION_NS)
    return steady_cpu_error(execution)


def wall_error(execution: ExecutionEvidence, clock_source: str) -> float | None:
    """Relative error of the execution's wall figure: of one iteration, for its median is one."""
    if execution.mode == "cold" and not execution.record.driven:
        return relative_error(float(execution.record.launch.wall_ns), ACCOUNTING_RESOLUTION_NS)
    part_ns = execution.wall_ns[execution.steady_part]
    if len(part_ns) == 0:
        return None
    step_ns = CLOCK_SOURCE_RESOLUTION_NS.get(clock_source, OTHER_CLOCK_SOURCE_RESOLUTION_NS)
    return relative_error(float(np.median(part_ns)), step_ns)
