"""The clocks of two hosts agree closely enough for the measured values that combine their times.

**Looks for** measured values that combine the times of two clocks (such as the clocks of two
hosts), if the difference between the clocks is uncertain. For example, the CPU time per request
combines the service's CPU time, which is measured on one host, with requests that the load
generator records on another host. Other measured values compare the times of pauses and queries
with the times of requests.

**Threshold** The offset (the difference between the two clocks) is known only with an uncertainty.
runfair reads the service's CPU time several times after the warm-up. The times of the first and of
the last reading may each be wrong by this uncertainty. So the relative error of the CPU time per
request is twice the uncertainty, divided by the time between the first and the last reading. For
example, if the offset is uncertain by 0.1 s, and the two readings of the CPU time are 10 s apart,
the relative error is 2%. If this error is more than `FLAGGED_ERROR` in any execution, the CPU time
per request is flagged (marked as doubtful). If this error is more than `VOID_ERROR`, the CPU time
per request is void (invalid). A smaller error is noted.

When runfair compares the times of pauses and queries with the times of requests, it allows for
every offset within the uncertainty. The result is then a range and not a single value. For example,
runfair may state that 20% to 30% of the slow requests overlapped a pause of the runtime. The
report states the uncertainty of the offset between the clocks beside the latencies.

**Source** The limits of the relative error are the limits of the check `clock`. In the checks
`clock` and `clock_offset`, a relative error of the time causes the same relative error of the
measured value.

**What to do** Synchronise the clocks of the hosts more closely, or measure on one host.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.checks.clock import FLAGGED_ERROR, VOID_ERROR
from runfair.fairness.figures import LATENCIES
from runfair.fairness.findings import grade
from runfair.formats.finding import Finding

NAME = "clock_offset"
DOUBT = "clock offset"
VERSION = 1
ADVICE = (
    "synchronise the clocks of the hosts more precisely, or run the service and the load generator "
    "on one host"
)
_MOST = 0.999999


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        yield from _cpu(one)
        yield from _attributions(one)


def _cpu(one: CellEvidence) -> Iterator[Finding]:
    error = max((each.load.own.clock_error for each in one.completed if each.load), default=0.0)
    if not error:
        return
    severity = grade(error, warning=FLAGGED_ERROR, fault=VOID_ERROR) or "limitation"
    yield Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=["cpu"],
        text=(
            "CPU time per request combines the clocks of two hosts, and may be wrong by up to "
            f"{error:.2%}, because the offset between these clocks is not known exactly"
        ),
        advice="" if severity == "limitation" else ADVICE,
        values={"error": min(error, 1.0)},
        effect="either",
        size=min(error, _MOST),
    )


def _attributions(one: CellEvidence) -> Iterator[Finding]:
    apart_ns = max(map(_apart_ns, one.completed), default=0)
    if apart_ns:
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=[*LATENCIES],
            text=(
                "the requests were timed by one clock, and the runtime events or queries by "
                "another; the offset between the two clocks is known only to "
                f"±{apart_ns / 1e6:.3g} ms, so runfair may attribute an event or a query to the "
                "wrong request"
            ),
            values={"uncertainty_ns": apart_ns},
        )


def _apart_ns(each: ExecutionEvidence) -> int:
    """The uncertainty of the offset between the service's or the relay's clock and the
    generator's."""
    if each.load is None:
        return 0
    served = each.record.served
    beside = [each.record.place] + ([] if served is None else [served.relay])
    return max(place.uncertainty_to(each.load.place) for place in beside)
