"""The kernel counted all CPU time of a program.

**Looks for** CPU time that the kernel did not add to the program's CPU time. When a thread ends,
Linux adds the thread's CPU time to its process before the thread has left the processor. The last
microseconds of each thread are therefore missing from the program's CPU time. The CPU time of a
cgroup includes these microseconds, so runfair can compute the missing time if it can make a cgroup.
The check computes the missing share: the missing time, divided by the sum of the missing time and
the counted CPU time. In mode `steady`, the counted CPU time is that of the steady part (the
iterations after the warm-up), because all of the missing time may belong to this part. In other
modes, the counted CPU time is that of the whole process.

**Threshold** If the missing share is more than `FLAGGED_SHARE`, the true CPU time has two limits:
the measured CPU time, and the measured CPU time plus the missing time. If runfair could make no
cgroup, the missing time is unknown. For programs that start tasks of their own, the report notes
that the missing time is unknown.

**Source** The function `__exit_signal` in the file `kernel/exit.c` of Linux adds a thread's CPU
time to its process. On a virtual machine with Linux 6.18, about 4 µs of each thread were missing.

**What to do** Compare wall times instead of CPU times, or let each thread do more work. To know the
missing time, run as a user who can make cgroups.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.formats.finding import Finding

NAME = "uncounted_time"
DOUBT = "missing CPU time"
VERSION = 2
FLAGGED_SHARE = 0.01


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.launched:
        if one.completed:
            yield from _of_cell(one)


def _of_cell(one: CellEvidence) -> Iterator[Finding]:
    launches = [run.record.launch for run in one.completed]
    missing_ns = [launch.uncounted_ns for launch in launches if launch.uncounted_ns is not None]
    if len(missing_ns) < len(launches):
        if one.cell.starts_tasks:
            yield Finding(
                check=NAME,
                severity="limitation",
                cell=one.cell.id,
                figures=["cpu"],
                text=(
                    "the CPU time may be too low, because the kernel counts the last "
                    "microseconds of each thread only in a cgroup, and no cgroup could be made"
                ),
            )
        return
    share = sum(missing_ns) / max(1, sum(map(_counted_ns, one.completed)) + sum(missing_ns))
    if share > FLAGGED_SHARE:
        yield Finding(
            check=NAME,
            severity="warning",
            cell=one.cell.id,
            figures=["cpu"],
            text=(
                f"{share:.1%} of the CPU time is missing from the measured value, because the "
                "kernel did not count the last microseconds of each thread that ended"
            ),
            advice=(
                "compare wall time if it is not flagged, or change the program so that each "
                "thread does more work"
            ),
            values={"share": share},
            effect="shorter",
            size=share,
        )


def _counted_ns(execution: ExecutionEvidence) -> int:
    """The counted CPU time of the part of an execution in which the missing time may lie. The
    iterations of a service at its peak are scaled, so its whole process is used."""
    if execution.mode == "steady" and execution.cell.peak is None and len(execution.cpu_ns):
        return int(execution.cpu_ns[execution.steady_part].sum())
    return execution.record.launch.cpu_ns
