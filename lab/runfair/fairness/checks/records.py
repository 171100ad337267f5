"""The stored files match the counts in the record.

**Looks for** two kinds of mismatch. The file of iterations of a completed execution has another
number of iterations than the record counted while the program ran. The interval log of a service
has another number of latencies than there were good answers. A file with such a mismatch was
changed afterwards: it was shortened (for example by its warmup), lengthened or exchanged.

**Threshold** one such execution is a fault of wall and CPU time or, for a service, of the latencies
and the CPU time per request. Memory is measured by the launcher alone, so its figure remains valid.

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
        text=f"execution {record.id} counted {counted} {what}, its file holds {held}",
        advice="restore the run's folder, or measure again",
        values={"counted": counted, "held": held},
    )
