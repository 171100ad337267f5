"""What is kept of an execution is what its record tells of.

**Looks for** completed executions whose file of iterations holds another number of them than the
record counted while the program ran, and services whose interval log holds another number of
latencies than good answers were counted: a file cut (of its warm-up, say), lengthened or exchanged
afterwards.

**Threshold** one such execution is a fault of wall and CPU time, of a service of its latencies and
the CPU time of a request: what was measured is not what is kept. Memory is the launcher's alone,
and stands.

**Source** the run's folder: `executions.jsonl` counts what `iterations/` holds, the load's result
what `latency/` holds.

**What to do** restore the run's folder from where it was measured, or measure again.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import ExecutionEvidence, RunEvidence
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
        text=f"execution {record.id} counted {counted} {what}, its file holds {held}",
        advice="restore the run's folder, or measure again",
        values={"counted": counted, "held": held},
    )
