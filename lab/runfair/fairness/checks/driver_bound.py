"""The server is the bottleneck of its passes, not the load generator.

**Looks for** passes in which the load generator's thread was running nearly all the time. In a
closed loop the slower side limits the rate. If the load generator is the slower side, the wall time
measures the load generator, and all faster servers look equal. Over a single connection, server and
load generator run in turn, so the wall time contains all of the load generator's time. If the load
generator runs on the server's processors, the server and the load generator wait for each other.

**Threshold** The wall time is flagged if, in any execution, the load generator was running for more
than the share `BOUND` of the median pass. Over a single connection the limit is `BOUND_ALONE`. The
wall time is also flagged if load generator and server share processors. The wall time is not void,
because the server's own time is at most the measured time. CPU time and memory of the server are
not affected.

**Source** Gregg, Systems Performance, 2nd edition, section 12.1.4, describes the mistake as
"benchmarking the client". The 2022 study sent requests to its key-value stores from one client of
one thread.

**What to do** Compare CPU time instead of wall time, give the load generator a processor of its
own, or leave out servers that are faster than the load generator.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.findings import shares_processors
from runfair.formats.finding import Finding

NAME = "driver_bound"
DOUBT = "busy generator"
VERSION = 1
BOUND = 0.9
BOUND_ALONE = 0.2
ADVICE = (
    "compare CPU time instead of wall time, because wall time contains the load generator's "
    "own time"
)


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        greatest = max(_shares(one), default=0.0)
        loop = one.cell.drive or one.cell.peak
        alone = loop is not None and loop.connections == 1
        if greatest > BOUND:
            yield _finding(
                one,
                (
                    f"the load generator was busy for {greatest:.0%} of the time of the passes, so "
                    "the load generator was the bottleneck, not the server"
                ),
            )
        elif alone and greatest > BOUND_ALONE:
            yield _finding(
                one,
                f"the load generator, not the server, used {greatest:.0%} of the wall time",
            )
        if shares_processors(one, run):
            yield _finding(one, "the load generator ran on the server's processors")


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
