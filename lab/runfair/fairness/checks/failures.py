"""No execution failed.

**Looks for** executions with another exit status than 0, a signal, a time-out, a missing line.
They are kept and shown, never averaged.

**Threshold** one failed execution flags every figure: what is left is a choice made by the
failure. Where none completed there is nothing to show, and every figure is void.

**Source** benchmarks/contract.md (exit status 0, and an `end` line, or the program was cut short).

**What to do** read the execution's standard error in the run's `raw` folder; run it by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "failures"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.cells:
        if one.completed and not one.failed:
            continue
        reason = f": {one.failed[0].record.outcome.reason}" if one.failed else ""
        yield Finding(
            check=NAME,
            severity="warning" if one.completed else "fault",
            cell=one.cell.id,
            figures=[*FIGURES],
            text=(
                f"{len(one.failed)} of {len(one.blocks)} executions failed{reason}"
                if one.completed
                else f"none of {one.planned} executions completed{reason}"
            ),
            advice="read the standard error kept in the run's `raw` folder",
            values={"failed": len(one.failed), "executions": len(one.blocks)},
        )
