"""Each interval is long compared with the resolution of its clock.

**Looks for** the relative error that a clock's resolution causes in a figure: in the summed CPU
time of the steady part, by the resolution that the program reports; in an iteration's wall time, by
the resolution of the clock source; in the times of a cold process, by the resolution of the
launcher's accounting.

**Threshold** if the median error over the executions is above `FLAGGED_ERROR`, the figure is
flagged; above `VOID_ERROR` it is void. If a program does not report the resolution of its clock,
this is noted.

**Source** docs/statistics.md, "Fairness" (a JDK's process CPU clock steps by 10 ms) and "A noisy
machine" (a virtual machine's TSC advances in steps: single short measurements are useless).

**What to do** choose a larger size or a longer profile.
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
VERSION = 1
FLAGGED_ERROR = 0.01
VOID_ERROR = 0.05


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
                    text=f"the error of the {figure} clock cannot be established",
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
                        f"the measured time is too short for the {figure} clock, whose error "
                        f"is {error:.1%}"
                    ),
                    advice="choose a larger size or a longer profile",
                    values={"error": min(error, 1.0)},
                )
