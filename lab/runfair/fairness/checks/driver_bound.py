"""The server is the bottleneck of its passes, not the load generator.

**Looks for** passes in which the generator's thread was running nearly all the time. In a closed
loop the slower side sets the pace. If the generator is the slower side, its speed determines the
completion time, and all servers that are faster than it look equal. Over a single connection the
server and the generator take turns, so the wall time contains all of the generator's time. If the
generator runs on the server's processors, each waits for the other to release the processor.

**Threshold** the wall time is flagged if the median of the generator's share of a pass is above
`BOUND` in an execution, or above `BOUND_ALONE` over a single connection. Shared processors also
flag the wall time. The server's own time is at most the measured time. No figure becomes void. The
server's CPU time and memory are not affected.

**Source** Gregg, Systems Performance, 2nd edition, section 12.1.4 ("benchmarking the client"); the
2022 study drove its key-value stores with one client of one thread.

**What to do** use the CPU time; give the generator a processor of its own, or leave out servers
that are faster than the generator.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.findings import shares_processors
from runfair.formats.finding import Finding

NAME = "driver_bound"
VERSION = 1
BOUND = 0.9
BOUND_ALONE = 0.2
ADVICE = "use the CPU time; the wall time contains the generator's"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        greatest = max(_shares(one), default=0.0)
        alone = one.cell.drive is not None and one.cell.drive.connections == 1
        if greatest > BOUND:
            yield _finding(
                one,
                f"the generator was busy for {greatest:.0%} of the passes: it was the bottleneck",
            )
        elif alone and greatest > BOUND_ALONE:
            yield _finding(one, f"{greatest:.0%} of the wall time is the generator's own")
        if shares_processors(one, run):
            yield _finding(one, "the generator shares its processors")


def _finding(one: CellEvidence, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=["wall"],
        text=text,
        advice=ADVICE,
        values={"generator_share": max(_shares(one), default=0.0)},
        effect="longer",
    )


def _shares(one: CellEvidence) -> Iterator[float]:
    """The share of time in which the generator ran, for each execution: the median over its
    loads."""
    for execution in one.completed:
        driven = execution.record.driven
        if driven:
            yield float(np.median([load.generator_share for load in driven]))
