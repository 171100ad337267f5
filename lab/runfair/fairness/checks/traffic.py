"""The traffic represents the requests that the service will get.

**Looks for** traffic that repeats a single request, and for services whose answers are larger or
smaller than the baseline's answers.

**Threshold** If the traffic repeats a single request without any change, every latency is flagged
(marked as doubtful), because caches and branch predictors learn the request. The check also
compares the mean size of each service's answers with the mean size of the baseline's answers. (The
baseline is the service with which the others are compared.) If the two sizes differ by more than
`LARGEST_DIFFERENCE` of the baseline's size and also by more than `HEADERS_BYTES`, every latency of
the service is flagged, because the service and the baseline do different amounts of work.

**Source** The section "Fairness" of docs/statistics.md describes traffic and equal conditions.
runfair's authors chose the limits `LARGEST_DIFFERENCE` and `HEADERS_BYTES`. The limit of 200 bytes
is well above the difference between the headers that frameworks send by default (about 100 bytes).

**What to do** Use a traffic file of recorded requests with expected answers (`expect`). `./runfair
traffic CAPTURE --to FILE` makes such a traffic file.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import Finding, Severity

NAME = "traffic"
DOUBT = "unlike traffic"
VERSION = 1
LARGEST_DIFFERENCE = 0.25
HEADERS_BYTES = 200


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        loads = [each.load for each in one.completed if each.load is not None]
        templates = {tuple(load.result.traffic.templates) for load in loads}
        for named in templates:
            if len(named) == 1 and "${" not in named[0]:
                yield _finding(
                    one,
                    "warning",
                    (
                        f"the traffic repeats the single request {named[0]}, so the service and "
                        "its database may have answered from a cache"
                    ),
                )
    for group in run.groups(among=run.services):
        yield from _sizes(run.baseline(group), group)


def _sizes(baseline: CellEvidence, group: tuple[CellEvidence, ...]) -> Iterator[Finding]:
    its = _bytes_a_request(baseline)
    for one in group:
        mine = _bytes_a_request(one)
        if mine is None or its is None:
            continue
        if abs(mine - its) > max(HEADERS_BYTES, LARGEST_DIFFERENCE * its):
            yield _finding(
                one,
                "warning",
                "the services send different amounts of data: an answer of this service has "
                f"{mine:,.0f} bytes on average, and an answer of {baseline.cell.tier} has "
                f"{its:,.0f}, so the services do different amounts of work",
            )


def _bytes_a_request(one: CellEvidence) -> float | None:
    told = [
        each.load.result.bytes.received / each.load.result.requests.completed
        for each in one.completed
        if each.load is not None and each.load.result.requests.completed
    ]
    return median(told) if told else None


def _finding(one: CellEvidence, severity: Severity, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=text,
        advice=(
            "use recorded requests from production; `./runfair traffic CAPTURE --to FILE` makes "
            "a traffic file from them"
        ),
    )
