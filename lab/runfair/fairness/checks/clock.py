"""Each interval is long against the clock that measured it.

**Looks for** the relative error that a clock's resolution leaves in a figure: of the steady
part's CPU time, summed, against the resolution that the program tells; of an iteration's wall
time against the clock source's; of a cold process against the launcher's accounting.

**Threshold** the median over the executions above `FLAGGED_ERROR`: that figure is flagged, above
`VOID_ERROR` void. Where the program did not tell its resolution, it is said.

**Source** docs/statistics.md, "Fairness" (a JDK's process CPU clock steps by 10 ms) and "A noisy
machine" (a virtual machine's TSC advances in steps: single short readings are useless).

**What to do** take a greater size or a longer profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from runfair.fairness.clocks import cpu_error, wall_error
from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import TIMES
from runfair.fairness.grading import grade
from runfair.formats.finding import Finding

NAME = "clock"
VERSION = 1
FLAGGED_ERROR = 0.01
VOID_ERROR = 0.05


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        for figure in TIMES if one.completed else ():
            found = [
                wall_error(execution, run.host.clock_source)
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
                    text=f"too short for the {figure} clock, whose error is {error:.1%}",
                    advice="take a greater size or a longer profile",
                    values={"error": min(error, 1.0)},
                )
