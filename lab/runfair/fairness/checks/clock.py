"""Each measured time is long compared with the resolution of its clock.

**Looks for** measured times that are too short for the resolution (step) of their clock. For CPU
time, the check compares the summed CPU time after the warm-up with the resolution that the program
reports. For wall time, the check compares the time of a single iteration with the resolution of the
clock source. For a cold process, the check compares the time of the whole process with the
resolution of the time that the kernel reports.

**Threshold** The relative error of a time is the greatest error that the clock's resolution can
cause, divided by the time. The check computes the relative error for each execution, and takes the
median over the executions of a program. If this median error is above `FLAGGED_ERROR`, the measured
time is flagged (marked as doubtful). If this median error is above `VOID_ERROR`, the measured time
is void (invalid). If a program does not report the resolution of its clock, this is noted.

**Source** According to the section "Fairness" of docs/statistics.md, a JDK's process CPU clock
advances in steps of 10 ms, and the time-stamp counter (TSC) of some virtual machines advances in
steps too. A measured time of only a few steps of its clock is therefore useless.

**What to do** Choose a larger size or a longer profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from runfair.evidence.run import RunEvidence
from runfair.fairness.clocks import cpu_error, wall_error
from runfair.fairness.figures import TIMES
from runfair.fairness.findings import grade
from runfair.formats.finding import Finding

NAME = "clock"
DOUBT = "coarse clock"
VERSION = 1
FLAGGED_ERROR = 0.01
VOID_ERROR = 0.05
CLOCKS = {"wall": "wall", "cpu": "CPU"}


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        for figure in TIMES if one.completed else ():
            found = [
                wall_error(execution, run.host_of(execution.record).clock_source)
                if figure == "wall"
                else cpu_error(execution)
                for execution in one.completed
            ]
            errors = [error for error in found if error is not None]
            if not errors:
                yield Finding(
                    check=NAME,
                    severity="limitation",
                    cell=one.cell.id,
                    figures=[figure],
                    text=(
                        f"the error of the {CLOCKS[figure]} time is unknown, because the "
                        "resolution of its clock is unknown"
                    ),
                )
                continue
            error = median(errors)
            severity = grade(error, warning=FLAGGED_ERROR, fault=VOID_ERROR)
            if severity is not None:
                yield Finding(
                    check=NAME,
                    severity=severity,
                    cell=one.cell.id,
                    figures=[figure],
                    text=(
                        "the measured time is too short for the resolution of the "
                        f"{CLOCKS[figure]} clock, so the time may be wrong by {error:.1%}"
                    ),
                    advice=(
                        "choose a larger size or a longer profile (`--profile`), so that the "
                        "program runs for longer"
                    ),
                    values={"error": min(error, 1.0)},
                )
