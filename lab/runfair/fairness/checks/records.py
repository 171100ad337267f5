"""An execution's iterations are those that its record tells of.

**Looks for** completed executions whose file of iterations holds another number of them than the
record counted while the program ran: a file cut, lengthened or exchanged afterwards.

**Threshold** one such execution is a fault of wall and CPU time: what was measured is not what is
kept. Memory is the launcher's alone, and stands.

**Source** the run's folder: `executions.jsonl` counts what `iterations/` holds.

**What to do** restore the run's folder from where it was measured, or measure again.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import TIMES
from runfair.formats.finding import Finding

NAME = "records"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        for execution in one.completed:
            held, counted = len(execution.wall_ns), execution.record.iterations
            if held != counted:
                yield Finding(
                    check=NAME,
                    severity="fault",
                    cell=one.cell.id,
                    figures=[*TIMES],
                    text=f"execution {execution.record.id} counted {counted} iterations, its file "
                    f"holds {held}",
                    advice="restore the run's folder, or measure again",
                    values={"counted": counted, "held": held},
                )
