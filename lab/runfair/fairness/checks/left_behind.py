"""A program ends with everything it started.

**Looks for** processes that survived the program and had to be ended by the launcher: work that
went on beyond the measured time, or would have.

**Threshold** one such execution flags every figure.

**Source** benchmarks/contract.md (CPU time is that of all threads and reaped children).

**What to do** let the program wait for its children.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "left_behind"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.launched:
        leaving = [run for run in one.completed if run.record.launch.left_behind]
        if leaving:
            processes = sum(run.record.launch.left_behind for run in leaving)
            yield Finding(
                check=NAME,
                severity="warning",
                cell=one.cell.id,
                figures=[*FIGURES],
                text=f"{len(leaving)} of {len(one.completed)} executions left {processes} "
                "processes behind",
                advice="let the program wait for its children",
                values={"processes": processes},
            )
