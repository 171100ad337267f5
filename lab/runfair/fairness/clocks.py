"""How far an execution's times can be trusted, given the steps of the clocks they were read from.

Each iteration is read by two readings of its own, so the errors of many add up like independent
ones, with the square root of their number (a difference of two readings late by up to one step
has a standard deviation of step / √6; √n steps are beyond twice that of n of them).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from runfair.evidence.run import ExecutionEvidence
from runfair.statistics.resolution import relative_error

# Steps of the kernel's clock sources with the cost of a reading; the HPET and the ACPI timer take
# a microsecond to read, an unknown source is not thought better than they are.
CLOCK_SOURCE_RESOLUTION_NS = {"tsc": 100, "kvm-clock": 100, "arch_sys_counter": 100}
OTHER_CLOCK_SOURCE_RESOLUTION_NS = 1_000

# wait4 and getrusage tell the time of a process in microseconds.
ACCOUNTING_RESOLUTION_NS = 1_000


def steady_cpu_error(execution: ExecutionEvidence) -> float | None:
    """Relative error of the CPU time summed over the steady part; None where the program did not
    tell its clock's resolution, or had no iteration."""
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
