"""The stored files contain as many values as runfair counted during the run.

**Looks for** completed executions whose stored file of iterations does not contain as many
iterations as runfair counted while the program ran. The check also looks for services whose stored
file of latencies does not contain one latency for each good answer. A file with a wrong number of
values was changed after the measurement: somebody may, for example, have removed the values of the
warm-up.

**Threshold** If even one file of a program was changed, the program's wall time, its CPU time and
the percentiles of its recorded samples are void (invalid). If even one file of a service was
changed, the service's latencies and its CPU time per request are void. Peak memory stays valid,
because runfair does not compute it from these files.

**Source** The check compares files in the run's folder with each other. `executions.jsonl` states
how many iterations each execution had, and the execution's file in the folder `iterations` must
contain one line for each of them. `raw/EXECUTION/operating-point.json` states how many requests of
an execution got a good answer, and the execution's file in the folder `latency` must contain one
latency for each of them.

**What to do** Copy the run's folder again from the machine that measured the run, or measure again.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES, SAMPLED, TIMES
from runfair.formats.finding import FigureName, Finding

NAME = "records"
DOUBT = "record cut short"
VERSION = 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        for execution in one.completed:
            held, counted = len(execution.wall_ns), execution.record.iterations
            if held != counted:
                yield _finding(execution, [*TIMES, *SAMPLED], "iterations", held, counted)
    for one in run.services:
        for execution in one.completed:
            if execution.load is None:
                continue
            held, counted = execution.load.logged, execution.load.result.requests.good
            if held != counted:
                yield _finding(execution, [*LATENCIES, "cpu"], "good answers", held, counted)


def _finding(
    execution: ExecutionEvidence, figures: list[FigureName], what: str, held: int, counted: int
) -> Finding:
    record = execution.record
    return Finding(
        check=NAME,
        severity="fault",
        cell=record.cell,
        figures=figures,
        text=(
            "the stored data are incomplete or changed: the record of the execution "
            f"{record.id} states {counted} {what}, but the file contains {held}"
        ),
        advice=(
            "copy the run's folder once more from the machine on which the run was measured, "
            "or measure again"
        ),
        values={"counted": counted, "held": held},
    )
