"""No execution failed.

**Looks for** failed executions. An execution failed if its exit status is not 0, if a signal or a
time-out ended it, or if the last line of its output is missing. runfair stores and shows failed
executions, but leaves them out of all means.

**Threshold** If even one execution of a program on a runtime failed, all measured values of this
program on this runtime are flagged (marked as doubtful), because perhaps only the fast executions
completed. If no execution completed, these values are void (invalid).

A program may record samples, such as the lateness of a timer. If a time limit, a memory limit or a
signal ended an execution, the samples that the program had recorded by then are still valid. The
percentiles of these samples are flagged and get bounds (limits of the true value), even if no
execution completed.

A run may begin with pilots: long executions of each program, which show how long the later
executions must last. If a pilot of a program failed, the later executions may be too short, so all
measured values of the program are flagged.

**Source** According to benchmarks/contract.md, a program exits with status 0, and the last line of
its output is `end`. If the line `end` is missing, the output was cut short.

**What to do** Read what the failed execution wrote to standard error (in the folder `raw` of the
run), or run the program by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import FIGURES, cut_short_figures, others
from runfair.formats.finding import FigureName, Finding

NAME = "failures"
DOUBT = "failed runs"
VERSION = 3
ADVICE = "read what the failed execution wrote to standard error (in the folder `raw` of the run)"


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
        text=(
            f"{ended} of {len(one.blocks)} executions were ended early{reason}, so runfair "
            "knows only a lower or an upper limit of each percentile"
        ),
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
        text=(
            f"{len(failed)} of {len(pilots)} pilots (long first executions, from which "
            f"runfair computes how long an execution must be) failed{reason}, so "
        )
        + ("no pilot" if len(failed) == len(pilots) else "too few pilots")
        + " could be used",
        advice=ADVICE,
        values={"failed_pilots": len(failed), "pilots": len(pilots)},
    )
