"""The stored files match the counts in the record.

**Looks for** completed executions whose file of iterations contains another number of iterations
than the lab counted while the program ran. The check also looks for services whose file of
latencies does not contain one latency for each good answer. A file with a wrong number of values
was changed after the measurement. For example, values of the warm-up were removed.

**Threshold** A single changed file is a fault. If the execution is a program's, its wall time, its
CPU time and the percentiles of its distributions are void. If the execution is a service's, its
latencies and its CPU time per request are void. Peak memory is not affected, because the launcher
measures it, and no file of iterations contains it.

**Source** The check compares the files in the run's folder with each other. `executions.jsonl`
contains the number of lines of each file in the folder `iterations`. The load's result contains the
number of latencies of each file in the folder `latency`.

**What to do** Copy the run's folder again from the machine that measured it, or measure again.
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
            f"the record of execution {record.id} counts {counted} {what}, but the stored file "
            f"contains {held}"
        ),
        advice=(
            "copy the run's folder again from the machine that measured the run, or measure again"
        ),
        values={"counted": counted, "held": held},
    )
