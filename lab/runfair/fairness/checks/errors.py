"""Failed answers are no fast answers.

**Looks for** requests at the operating point that failed: a wrong status or body, a refused, reset
or closed connection, no answer in time. They are counted by kind and are in no latency. A
database that was lost or restarted meanwhile.

**Threshold** any failure flags the latencies and the CPU time of a request; above `VOID_SHARE` in
any execution they are void: a service that answers a tenth of its requests with an error does less
work, and is fast at it. One lost database voids them too. Bodies that nobody compared
(`check_share` below 1) are said.

**Source** docs/statistics.md, "Fairness" (equal conditions: error rate); the share is ours.

**What to do** read `raw/EXECUTION/operating-point.json` (`complaint`), mend the service or the
traffic, or choose a rate that it can serve.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import CellEvidence, RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import Finding
from runfair.formats.load_result import Failures

NAME = "errors"
VERSION = 1
VOID_SHARE = 0.01


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        yield from _failures(one)
        yield from _database(one)
        if one.completed and one.cell.service and one.cell.service.point.check_share < 1:
            share = one.cell.service.point.check_share
            yield Finding(
                check=NAME,
                severity="limitation",
                cell=one.cell.id,
                figures=[*LATENCIES, "cpu"],
                text=f"the bodies of {share:.0%} of its answers were compared, of all the status",
            )


def _failures(one: CellEvidence) -> Iterator[Finding]:
    loads = [run.load.result.requests for run in one.completed if run.load is not None]
    failed = sum(load.failed for load in loads)
    if not failed:
        return
    worst = max(loads, key=lambda load: load.failed / max(1, load.scheduled))
    share = worst.failed / max(1, worst.scheduled)
    total = sum(load.scheduled for load in loads)
    complaint = f" ({worst.complaint})" if worst.complaint else ""
    yield Finding(
        check=NAME,
        severity="fault" if share > VOID_SHARE else "warning",
        cell=one.cell.id,
        figures=[*LATENCIES, "cpu"],
        text=f"{failed:,} of {total:,} requests failed: {_kinds(worst.failures)}{complaint}",
        advice="mend the service or the traffic, or choose a rate that it can serve",
        values={"failed": failed, "requests": total, "worst_share": share},
    )


def _database(one: CellEvidence) -> Iterator[Finding]:
    lost = sum(
        run.record.served is not None and run.record.served.database_restarted
        for run in one.completed
    )
    if lost:
        yield Finding(
            check=NAME,
            severity="fault",
            cell=one.cell.id,
            figures=[*LATENCIES, "cpu"],
            text=f"its database was lost or restarted in {lost} of {len(one.completed)} executions",
            advice="look at the database's log in `raw`, and run again",
            values={"lost": lost},
        )


def _kinds(failures: Failures) -> str:
    counts = [(count, kind) for kind, count in failures.model_dump().items() if count]
    return ", ".join(f"{kind.replace('_', ' ')} {n:,}" for n, kind in sorted(counts, reverse=True))
