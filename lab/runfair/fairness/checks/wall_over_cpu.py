"""A computing program's wall time equals its CPU time.

**Looks for** programs with one thread in mode `steady` whose wall time is longer than their CPU
time. Wall time and CPU time are summed over the iterations after the warm-up. If a computing
program's wall time is longer than its CPU time, the program was ready to compute but did not get
its processor. A CPU time above the wall time is no sign of a disturbance: it is usual for runtimes
with compiler or collector threads. The check ignores four kinds of programs, which the check
`foreign_time` judges:

- servers, because they wait for the requests of the load generator;
- programs that start tasks of their own, because these tasks may sleep or wait for each other;
- programs for which the experiment states a CPU quota, because the quota makes them wait;
- programs in mode `cold` (each execution is a new process), because waits during start-up (loading,
  page faults) are part of the measured time.

**Threshold** For each execution, the check first estimates how long the program waited for reads
from storage: the number of bytes read, divided by `SLOWEST_STORAGE_BYTES_PER_S`. The check
subtracts this waiting time from the wall time, divides the rest by the CPU time, and takes the
median of this quotient over the executions. If the median is above `LONGEST_WALL_OVER_CPU`, the
measured wall time is only an upper limit of the true wall time. CPU time stays valid. If the median
is below this limit only because the time of reads from storage was subtracted, the check notes that
these reads may explain why wall time is longer than CPU time. If the CPU clock's resolution may
cause an error of more than `LARGEST_ERROR` in an execution's CPU time, the check leaves this
execution out. If no execution remains, the check cannot decide, and this is noted.

**Source** The section "A noisy machine" of docs/statistics.md gives the limit 1.02 for wall time /
CPU time. The limit 1.02 applies to programs that only compute, and whose measured time is much
longer than a step of the CPU clock. The largest accepted error of the CPU time (`LARGEST_ERROR`) is
half of the 2% by which wall time may exceed CPU time.

**What to do** Make the machine quieter with the commands that `./runfair calibrate` prints, or use
CPU time.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.clocks import steady_cpu_error
from runfair.fairness.findings import disturbance
from runfair.formats.finding import Finding
from runfair.formats.plan import Cell

NAME = "wall_over_cpu"
DOUBT = "waiting"
VERSION = 2
LONGEST_WALL_OVER_CPU = 1.02
# The speed of a hard disk that makes 100 random reads a second of 128 KiB each (with read-ahead).
SLOWEST_STORAGE_BYTES_PER_S = 12_000_000
LARGEST_ERROR = (LONGEST_WALL_OVER_CPU - 1) / 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        if not one.completed or not _only_computes(one.cell):
            continue
        telling = [execution for execution in one.completed if _telling(execution)]
        if not telling:
            yield disturbance(
                NAME,
                one,
                "limitation",
                (
                    "the ratio of wall time to CPU time is unknown, because the resolution of the "
                    "CPU clock is too coarse"
                ),
            )
            continue
        ratio = median(_wall_over_cpu(execution, reading_ns=0) for execution in telling)
        unexplained = median(
            _wall_over_cpu(execution, _longest_reading_ns(execution)) for execution in telling
        )
        if unexplained > LONGEST_WALL_OVER_CPU:
            yield disturbance(
                NAME,
                one,
                "fault",
                (
                    f"wall time is {ratio:.3f} times CPU time, so the program had to wait for a "
                    "processor"
                ),
                {"wall_over_cpu": ratio},
            )
        elif ratio > LONGEST_WALL_OVER_CPU:
            yield disturbance(
                NAME,
                one,
                "limitation",
                (
                    f"wall time is {ratio:.3f} times CPU time, so the program may have waited for "
                    "storage or for a processor"
                ),
                {"wall_over_cpu": ratio},
            )


def _only_computes(cell: Cell) -> bool:
    """Whether the program has one thread, which never waits for a client, for tasks, or for a CPU
    quota."""
    alone = cell.threads == 1 and not cell.starts_tasks and cell.factors.cpu_quota is None
    return cell.mode == "steady" and alone and cell.drive is None and cell.peak is None


def _telling(execution: ExecutionEvidence) -> bool:
    error = steady_cpu_error(execution)
    return error is not None and error <= LARGEST_ERROR


def _longest_reading_ns(execution: ExecutionEvidence) -> float:
    return (execution.record.launch.read_bytes or 0) / SLOWEST_STORAGE_BYTES_PER_S * 1e9


def _wall_over_cpu(execution: ExecutionEvidence, reading_ns: float) -> float:
    part = execution.steady_part
    wall_ns = float(execution.wall_ns[part].sum())
    return (wall_ns - reading_ns) / float(execution.cpu_ns[part].sum())
