"""The errors that the resolution of the clocks causes in an execution's times.

Each iteration has two clock readings of its own, so the errors of n iterations are independent and
their sum grows with √n. (Each reading is late by up to one step, so the difference of two readings
has a standard deviation of step / √6. For n iterations, √n steps are more than twice the standard
deviation of the sum.)
"""

from __future__ import annotations

from math import sqrt

from runfair.evidence.cell import ExecutionEvidence
from runfair.statistics.blocks import median

# The steps of the kernel's clock sources, including the cost of a reading. The HPET and the ACPI
# timer take a microsecond to read; an unknown source is assumed to be as slow.
CLOCK_SOURCE_RESOLUTION_NS = {"tsc": 100, "kvm-clock": 100, "arch_sys_counter": 100}
OTHER_CLOCK_SOURCE_RESOLUTION_NS = 1_000

# wait4 and getrusage report the time of a process in microseconds.
ACCOUNTING_RESOLUTION_NS = 1_000


def relative_error(interval_ns: float, resolution_ns: float) -> float:
    """The greatest relative error of one interval between two readings of a clock that advances in
    steps.

    Each reading is late by less than one step, so the difference of two readings is wrong by less
    than one step in either direction. Many iterations between the same two readings count as one
    interval. An interval of zero has an infinite error. For example, a JDK's process CPU clock
    advances in steps of 10 ms, so it shows an iteration of 55 ms as 50 or 60 ms. Raises ValueError
    if the interval is negative or the resolution is not positive.
    """
    if interval_ns < 0 or resolution_ns <= 0:
        raise ValueError(
            "an interval must be at least 0, and the resolution of a clock must be above 0"
        )
    return resolution_ns / interval_ns if interval_ns > 0 else float("inf")


def steady_cpu_error(execution: ExecutionEvidence) -> float | None:
    """The relative error of the CPU time summed over the steady part; None if the program did not
    report its clock's resolution, or had no iteration."""
    resolution_ns = execution.cpu_resolution_ns
    part_ns = execution.cpu_ns[execution.steady_part]
    if resolution_ns is None or len(part_ns) == 0:
        return None
    return relative_error(float(part_ns.sum()), sqrt(len(part_ns)) * resolution_ns)


def cpu_error(execution: ExecutionEvidence) -> float | None:
    """The relative error of the execution's CPU time."""
    if execution.mode == "cold" and not execution.record.driven:
        return relative_error(float(execution.record.launch.cpu_ns), ACCOUNTING_RESOLUTION_NS)
    return steady_cpu_error(execution)


def wall_error(execution: ExecutionEvidence, clock_source: str) -> float | None:
    """The relative error of the execution's wall time. The error of the wall time is the error of a
    single iteration, because the figure is a median of iterations."""
    if execution.mode == "cold" and not execution.record.driven:
        return relative_error(float(execution.record.launch.wall_ns), ACCOUNTING_RESOLUTION_NS)
    part_ns = execution.wall_ns[execution.steady_part]
    if len(part_ns) == 0:
        return None
    step_ns = CLOCK_SOURCE_RESOLUTION_NS.get(clock_source, OTHER_CLOCK_SOURCE_RESOLUTION_NS)
    return relative_error(median(part_ns), step_ns)
