"""The stored files match the counts in the record.

**Looks for** completed executions whose file of iterations has another number of iterations than
the record counted while the program ran. The check also finds services whose interval log does not
hold one latency for each good answer. Such a file was changed after the measurement: it was
shortened (for example, its warmup was cut off), lengthened or exchanged.

**Threshold** one such execution is a fault. For a program the fault concerns wall and CPU time, for
a service the latencies and the CPU time per request. Memory is not affected, because the launcher
alone measures it.

**Source** the run's folder: `executions.jsonl` counts the lines of `iterations/`, the load's result
counts the latencies of `latency/`.

**What to do** copy the run's folder again from the machine that measured it, or measure again.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import ExecutionEvidence, RunEvidence
from runfair.fairness.figures import LATENCIES, SAMPLED, TIMES
from runfair.formats.finding import FigureName, Finding

NAME = "records"
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
        text=f"execution {record.id} counted {counted} {what}, but its file holds {held}",
        advice="restore the run's folder, or measure again",
        values={"counted": counted, "held": held},
    )
