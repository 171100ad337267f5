"""A server that is driven sets the pace of its passes, not the generator that drives it.

**Looks for** passes in which the generator's busiest thread was running nearly all the time. In a
closed loop the slower of the two sets the pace: the completion time is then the generator's, and
servers that are faster than it look alike.

**Threshold** a median share above `BOUND` in an execution voids nothing, but flags the wall time:
the server's is at most that. The server's CPU time and memory stand.

**Source** Gregg, Systems Performance, 2nd edition, section 12.1.4 ("benchmarking the client"); the
2022 study drove its key-value stores with one client of one thread.

**What to do** look at the CPU time; give the generator a processor of its own, or leave out what is
faster than it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runfair.fairness.evidence import CellEvidence, RunEvidence
from runfair.formats.finding import Finding

NAME = "driver_bound"
VERSION = 1
BOUND = 0.9
ADVICE = "look at the CPU time; the wall time is the generator's as much as the server's"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        greatest = max(_shares(one), default=0.0)
        if greatest > BOUND:
            yield Finding(
                check=NAME,
                severity="warning",
                cell=one.cell.id,
                figures=["wall"],
                text=f"the generator was busy for {greatest:.0%} of the passes: it set the pace",
                advice=ADVICE,
                values={"generator_share": greatest},
            )


def _shares(one: CellEvidence) -> Iterator[float]:
    """Of each execution, the median over its loads."""
    for execution in one.completed:
        driven = execution.record.driven
        if driven:
            yield float(np.median([load.generator_share for load in driven]))
