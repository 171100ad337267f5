"""A program ends together with all processes that it started.

**Looks for** processes that survived the program and had to be ended by the launcher: their work
continued, or would have continued, beyond the measured time. Also services that did not end on
their signal and were killed.

**Threshold** one such execution flags every figure. A service that had to be killed was measured
before that, so it is only noted; for a program of the lab the execution has failed.

**Source** benchmarks/contract.md (CPU time is that of all threads and reaped children; status 0
within 5 s of SIGTERM).

**What to do** let the program wait for its children; let the service end on its signal, or name
the signal that ends it (`stop`).
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "left_behind"
VERSION = 2


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
        yield from _killed(one)


def _killed(one: CellEvidence) -> Iterator[Finding]:
    deaf = sum(
        run.record.served is not None and run.record.served.ignored_stop for run in one.completed
    )
    if deaf and one.cell.service is not None:
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=[*FIGURES],
            text=f"it did not end on {one.cell.service.stop_signal} and was killed in "
            f"{deaf} of {len(one.completed)} executions",
            advice="end within 5 s, or name the signal that ends it: `stop`",
            values={"killed": deaf},
        )
