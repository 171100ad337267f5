"""No execution failed.

**Looks for** executions with an exit status other than 0, a signal, a time-out, or a line missing
from the output. Failed executions are kept and shown, and they enter no mean.

**Threshold** one failed execution flags every figure: the executions that succeeded may be the fast
ones. If no execution completed, every figure is void. If a program was ended from outside, the
samples that it had recorded by then are valid: the percentiles of a distribution become bounds, and
are flagged. A failed pilot also flags all figures: pilots set the floor of the stopping rule.

**Source** benchmarks/contract.md (a program ends with status 0; its last line is `end`, and a
program without that line was cut short).

**What to do** read the execution's standard error in the run's `raw` folder; run the program by
hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import FIGURES, cut_short_figures, others
from runfair.formats.finding import FigureName, Finding

NAME = "failures"
VERSION = 3
ADVICE = "read the standard error in the run's `raw` folder"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.cells:
        yield from _pilots(one)
        if one.completed and not one.failed:
            continue
        reason = f": {one.failed[0].record.outcome.reason}" if one.failed else ""
        known = cut_short_figures(one)
        if known:
            yield _cut_short(one, known, reason)
        yield Finding(
            check=NAME,
            severity="warning" if one.completed else "fault",
            cell=one.cell.id,
            figures=others(one.cell, known),
            text=(
                f"{len(one.failed)} of {len(one.blocks)} executions failed{reason}"
                if one.completed
                else f"none of {one.planned} executions completed{reason}"
            ),
            advice=ADVICE,
            values={"failed": len(one.failed), "executions": len(one.blocks)},
        )


def _cut_short(one: CellEvidence, figures: list[FigureName], reason: str) -> Finding:
    ended = sum(1 for execution in one.failed if execution.cut_short)
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=figures,
        text=f"{ended} of {len(one.blocks)} executions were ended before their work was done"
        f"{reason}; the percentiles are bounds, from the samples until then",
        advice=ADVICE,
        values={"cut_short": ended, "executions": len(one.blocks)},
    )


def _pilots(one: CellEvidence) -> Iterator[Finding]:
    pilots = [execution for execution in one.executions if execution.record.role == "pilot"]
    failed = [pilot for pilot in pilots if not pilot.completed]
    if not failed:
        return
    reason = f" ({failed[0].record.outcome.reason})" if failed[0].record.outcome.reason else ""
    yield Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=[*FIGURES],
        text=f"{len(failed)} of {len(pilots)} pilots failed{reason}: "
        + ("nothing" if len(failed) == len(pilots) else "too little")
        + " could set the stopping rule's floor",
        advice=ADVICE,
        values={"failed_pilots": len(failed), "pilots": len(pilots)},
    )
