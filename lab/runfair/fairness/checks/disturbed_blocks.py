"""Blocks that other processes disturbed were repeated as a whole, and this is reported.

**Looks for** blocks in which an execution lost more processor time than the executions of the same
program usually lose. (A block contains executions of all compared programs.) The kernel reports
three kinds of lost time: time that other processes used, time that a hypervisor gave to other
virtual machines (steal time), and throttling by a CPU quota.

Some time is lost in every execution. The kernel does some work for a program, such as writing the
program's pages to storage, and counts this work as time of other processes. Such work of the kernel
is part of the usual loss.

Run-queue delay is the time for which a program was ready to run but had to wait for a processor. If
a C, C++, Rust or Python program has one thread and one process, only other processes can cause this
delay. For such a program, the check uses the run-queue delay in place of the time that other
processes used.

The check also looks for blocks during which the reference loop, a loop of constant work, was slower
than usual. The usual time of the reference loop is the median of its times in the first attempts at
all blocks. A long measured time of a program is never a reason to call a block disturbed.

**Threshold** A block is disturbed in three cases:

- An execution lost more than 2% of its time, and also more than three times the usual loss. The
  usual loss is the median loss of all executions of the same program on the same runtime. If the
  number of executions is even, the smaller of the two middle values counts as the median.
- An execution was throttled by a CPU quota that the experiment does not declare.
- The reference loop was slower than usual by more than 10%, and also by more than three times the
  median difference between successive measurements of the loop.

When all other blocks are complete, runfair repeats a disturbed block, at most twice. All repeats
together take at most 35% of the time that the run takes without repeats. runfair stores all
attempts at a block, but computes the results from one attempt only: the first attempt that was not
disturbed. If all attempts were disturbed, runfair uses the attempt that was disturbed least. If
even one execution of a program in this attempt lost more than `FLAGGED_SHARE` of its time to other
processes, the program's wall time is flagged (marked as doubtful). All other disturbances are
noted.

**Source** The section "Blocks that were disturbed" of docs/statistics.md reports a simulation of
these rules.

**What to do** End the programs that the finding names. `./runfair calibrate` prints further advice.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.blocks import Attempt, busy_during
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import ELAPSED, TIMED, those_of
from runfair.fairness.findings import QUIETEN
from runfair.formats.finding import Finding

NAME = "disturbed_blocks"
DOUBT = "disturbed"
VERSION = 3
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
    said = (
        f"block {first.records[0].block} (a group of executions) was disturbed, because "
        f"{first.reasons[0]}"
    )
    if others := len(first.reasons) - 1:
        said += f", and for {others} other reason{'s' * (others > 1)}"
    busy = busy_during(first.records, run.level)[:_NAMED_AT_MOST]
    if busy:
        said += f" (busy processes: {', '.join(busy)})"
    if len(attempts) == 1:
        return f"{said}; the block was not repeated"
    times = "once" if len(attempts) == 2 else "twice"
    if counting.reasons:
        return (
            f"{said}; the block was repeated {times} and was disturbed each time, so runfair uses "
            "the attempt that lost the least processor time to other processes"
        )
    return (
        f"{said}; the block was repeated {times}, and runfair uses the first attempt without a "
        "disturbance"
    )
