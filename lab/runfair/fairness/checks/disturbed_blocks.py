"""Blocks that other processes disturbed were repeated as a whole, with the outcome reported.

**Looks for** blocks in which an execution lost more processor time than is usual for its cell, as
the kernel reports it: run-queue delay if only other processes can have caused it, otherwise their
CPU time; steal time; throttling. Also blocks in which the reference loop was slower than over the
run. The figure itself is never used. A program's own kernel work comes with each of its executions,
so it is part of the usual loss.

**Threshold** a loss above 2% of its time and above three times the usual loss (the lower median of
the cell's executions), or any undeclared throttling, or a reference loop that is slower by more
than 10% and by more than its own spread. Such a block is repeated at most twice, after all others,
as long as repeats take no more than 35% of the run's own time; all attempts are kept. The first
attempt that was not disturbed counts. If all were disturbed, the attempt counts in which others
took the smallest share of the processors' time. If they took more than `FLAGGED_SHARE` of an
execution in the attempt that counts, the cell's wall time is flagged, even if they took little over
all its executions. Other disturbances are noted.

**Source** docs/statistics.md, "Blocks that were disturbed" (simulated there).

**What to do** end the programs that the finding names; `./runfair calibrate` prints more.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.blocks import Attempt, busy_during
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import ELAPSED, TIMED, those_of
from runfair.fairness.findings import QUIETEN
from runfair.formats.finding import Finding

NAME = "disturbed_blocks"
VERSION = 2
FLAGGED_SHARE = 0.05
_NAMED_AT_MOST = 3


def check(run: RunEvidence) -> Iterator[Finding]:
    if run.blocks is None:
        return
    cells = {one.cell.id: one.cell for one in run.cells}
    for block, attempts in run.blocks.attempts.items():
        if not attempts[0].reasons:
            continue
        counting = run.blocks.counting(block)
        text = _text(run, attempts, counting)
        for cell in dict.fromkeys(one.cell for one in attempts[0].records):
            if cell in cells:
                grave = counting.disturbed.get(cell, 0.0) > FLAGGED_SHARE
                yield Finding(
                    check=NAME,
                    severity="warning" if grave else "limitation",
                    cell=cell,
                    figures=those_of(cells[cell], ELAPSED if grave else TIMED),
                    text=text,
                    advice=QUIETEN if grave else "",
                    values={"repeats": len(attempts) - 1},
                    effect="longer" if grave else None,
                )


def _text(run: RunEvidence, attempts: list[Attempt], counting: Attempt) -> str:
    first = attempts[0]
    said = f"block {first.records[0].block} was disturbed: {first.reasons[0]}"
    if len(first.reasons) > 1:
        said += f", and {len(first.reasons) - 1} more"
    busy = busy_during(first.records, run.level.readings)[:_NAMED_AT_MOST]
    if busy:
        said += f" (busy: {', '.join(busy)})"
    if len(attempts) == 1:
        return f"{said}; it was not repeated"
    times = "once" if len(attempts) == 2 else "twice"
    if counting.reasons:
        return f"{said}; repeated {times} and disturbed again: the attempt that lost least counts"
    return f"{said}; repeated {times}: the attempt that was not disturbed counts"
