"""The server, not the load generator, is the bottleneck of the measurement.

**Looks for** passes that measure the load generator instead of the server. (A pass is the sequence
of requests that makes up one iteration of a server.) Such passes can occur in four ways:

- In a closed loop (each request waits for the answer to an earlier request), the slower of server
  and load generator limits the rate. If the load generator is slower, all faster servers seem
  equally fast.
- Over a single connection, server and load generator take turns, so the wall time contains all of
  the load generator's time.
- If the load generator runs on the server's processors, the server and the load generator wait for
  each other.
- If another process uses the load generator's processor, the load generator has to wait for the
  processor.

**Threshold** For each pass, the check computes the busy share: the share of the time during which
the load generator was running or waiting for a processor. For each execution, the check takes the
median of the busy shares of its passes. If this median busy share is more than `BOUND` in any
execution, the wall time is flagged (marked as doubtful). Over a single connection, the limit of the
median busy share is `BOUND_ALONE`. The wall time is also flagged if the load generator and the
server share processors. A load generator with a processor of its own may still have to wait for
this processor. If the load generator waited for more than `LONGEST_WAIT` of the time (median over
the passes), the wall time is flagged too. A flagged wall time stays usable, because it is still an
upper limit of the time that the server itself needed. The server's CPU time and memory stay valid.

**Source** Gregg, Systems Performance, 2nd edition, section 12.1.4, describes the mistake as
"benchmarking the client". LangBench, a study from 2022 (docs/langbench.md), sent all requests to
its key-value stores from one client with one thread. The limit `LONGEST_WAIT` is the limit of
foreign time (the CPU time of other processes) in the section "A noisy machine" of
docs/statistics.md.

**What to do** Compare CPU times instead of wall times, give the load generator a processor of its
own, or leave out servers that are faster than the load generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.findings import shares_processors
from runfair.formats.finding import Finding
from runfair.formats.plan import DrivenLoad

NAME = "driver_bound"
DOUBT = "busy generator"
VERSION = 2
BOUND = 0.9
BOUND_ALONE = 0.2
LONGEST_WAIT = 0.01
ADVICE = (
    "compare CPU time instead of wall time, because wall time includes the time of the load "
    "generator"
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
                    f"the load generator was busy for {greatest:.0%} of the measured time, so the "
                    "load generator was the bottleneck, not the server"
                ),
            )
        elif alone and greatest > BOUND_ALONE:
            yield _finding(
                one,
                f"{greatest:.0%} of the wall time passed in the load generator, so the wall time "
                "is not the server's alone",
            )
        waited = max(_waits(one), default=0.0)
        if shares_processors(one, run):
            yield _finding(
                one,
                (
                    "the load generator ran on the same processors as the server, so each had to "
                    "wait for the other"
                ),
            )
        elif waited > LONGEST_WAIT:
            yield _finding(
                one,
                f"for {waited:.1%} of the measured time, the load generator was ready to send "
                "requests but had to wait for a processor",
            )


def _finding(one: CellEvidence, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=["wall"],
        text=text,
        advice=ADVICE,
        values={
            "generator_share": max(_shares(one), default=0.0),
            "generator_waited": max(_waits(one), default=0.0),
        },
        effect="longer",
    )


def _shares(one: CellEvidence) -> Iterator[float]:
    """The share of time in which the generator ran or waited for a processor, for each execution:
    the median over its loads."""
    for loads in _driven(one):
        yield median(load.generator_share + (load.generator_waited or 0.0) for load in loads)


def _waits(one: CellEvidence) -> Iterator[float]:
    """The share of time in which the generator waited for a processor, for each execution: the
    median over its loads."""
    for loads in _driven(one):
        yield median(load.generator_waited or 0.0 for load in loads)


def _driven(one: CellEvidence) -> Iterator[list[DrivenLoad]]:
    """The loads of each execution that has any."""
    return (each.record.driven for each in one.completed if each.record.driven)
