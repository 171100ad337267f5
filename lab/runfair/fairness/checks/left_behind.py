"""A program ends together with all processes that it started.

**Looks for** child processes that still ran after the program had exited, so that runfair had to
end them. The measured time does not include all work of these child processes. The check also looks
for services that did not exit on their stop signal, so that runfair had to kill them.

**Threshold** If even one execution of a program left processes behind, all measured values of the
program are flagged (marked as doubtful). If runfair had to kill a user's own service, this is only
noted, because the measurement was already complete. If runfair had to kill one of the services in
its own repository, the execution counts as failed.

**Source** According to benchmarks/contract.md, a program's CPU time includes all its threads, and
all children for which the program waited. A service of this repository exits with status 0 within 5
s after SIGTERM.

**What to do** Change the program so that it waits for its child processes. Change the service so
that it exits on its stop signal, or state in the experiment which signal ends the service (`stop`).
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "left_behind"
DOUBT = "left processes"
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
                text=(
                    f"in {len(leaving)} of {len(one.completed)} executions, child processes of "
                    f"the program ({processes} in total) still ran when the program had ended, "
                    "so the measured time does not include all of their work"
                ),
                advice="change the program so that it waits for its child processes",
                values={"processes": processes},
            )
        yield from _killed(one)


def _killed(one: CellEvidence) -> Iterator[Finding]:
    served = (run.record.served or run.record.peak for run in one.completed)
    deaf = sum(each is not None and each.ignored_stop for each in served)
    if deaf:
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=[*FIGURES],
            text=(
                f"in {deaf} of {len(one.completed)} executions, the service did not exit "
                f"after the signal {one.cell.hosting.stop_signal}, so runfair killed it"
            ),
            advice=(
                "change the service so that it exits within 5 s of its stop signal, or state in "
                "`stop` the signal on which it exits"
            ),
            values={"killed": deaf},
        )
