"""Failed requests do not count as fast requests.

**Looks for** failed requests during the load at the operating point (the rate at which a service is
measured). A request fails if its answer has a wrong status or a wrong body, if its connection is
refused, reset or closed, or if its answer does not arrive before the time-out. runfair leaves
failed requests out of the latencies, and counts them separately, by the kind of failure. The check
also looks for a database that stopped or restarted during the load.

**Threshold** If any request failed, the latencies and the CPU time per request are flagged (marked
as doubtful). Each percentile then has a lower and an upper limit, because failed requests have no
latency. The lower limit counts the failed requests as the fastest requests, and the upper limit
counts them as requests that were never answered. A percentile has no upper limit if all requests
above it may have failed. For example, if 0.1% of the requests failed, these requests could be the
slowest 0.1%, so p99.9 has no upper limit. The measured maximum is only a lower limit of the true
maximum.

A service that answers with errors does less work, and is therefore fast. So if more than
`VOID_SHARE` of the requests failed in any execution, all latencies and the CPU time per request are
void (invalid). The check applies this limit to the whole load, and also to the part of the load
after the warm-up. The latencies and the CPU time per request are also void if the service's
database stopped or restarted in any execution. If the load generator compared only some of the
answers' bodies with the expected body (`check_share` below 1), the report says so. The compared
bodies are a sample: if some of them are wrong, the same share of the other bodies counts as wrong
too. A failure that was found without a comparison (such as a key in Redis that has no value) counts
as a single failure.

**Source** The section "Fairness" of docs/statistics.md requires that hardly any request fails.
runfair's authors chose the limit `VOID_SHARE`.

**What to do** Read the field `complaint` of the file `raw/EXECUTION/operating-point.json`. Then
correct the service or the requests, or choose a rate that the service can serve.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES, PERCENTILES
from runfair.formats.finding import Effect, FigureName, Finding, Severity
from runfair.formats.load_requests import Failures
from runfair.formats.record import Scalar
from runfair.formats.service import SHARES

NAME = "errors"
DOUBT = "failed requests"
VERSION = 4
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
                text=(
                    "the load generator checked the status of every answer, but the bodies of "
                    f"only {share:.0%} of the answers, so it may have missed wrong bodies"
                ),
            )


def _failures(one: CellEvidence) -> Iterator[Finding]:
    loads = [run.load for run in one.completed if run.load is not None]
    failed = sum(load.result.requests.failed for load in loads)
    if not failed:
        return
    worst = max(loads, key=lambda load: load.failed_share)
    share, told = worst.failed_share, worst.result.requests
    total = sum(load.result.requests.scheduled for load in loads)
    complaint = f" ({told.complaint})" if told.complaint else ""
    values: dict[str, Scalar] = {"failed": failed, "requests": total, "worst_share": share}
    text = f"{failed:,} of {total:,} requests failed: {_kinds(told.failures)}{complaint}"
    if unseen := round(sum(load.result.unseen_wrong for load in loads)):
        text += f"; about {unseen:,} more probably have a wrong body, but were not compared"
    void = share > VOID_SHARE
    effect: Effect | None = None if void else "either"
    yield _finding(one, "fault" if void else "warning", [*LATENCIES, "cpu"], text, values, effect)
    # There are more failed requests than the tail has room for, so they could fill it completely.
    beyond = [name for name in PERCENTILES if share >= 1 - SHARES[name]]
    if not void:
        yield _finding(one, "fault", [*beyond, "max"], text, values, effect)


def _finding(
    one: CellEvidence,
    severity: Severity,
    figures: list[FigureName],
    text: str,
    values: dict[str, Scalar],
    effect: Effect | None,
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=figures,
        text=text,
        advice="repair the service, correct the requests (`traffic`), or choose a lower rate",
        values=values,
        effect=effect,
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
            text=(
                f"in {lost} of {len(one.completed)} executions, the service's database stopped "
                "or restarted"
            ),
            advice=(
                "read the log of the database (in the folder `raw` of the run), and then "
                "measure again"
            ),
            values={"lost": lost},
        )


def _kinds(failures: Failures) -> str:
    counts = [(count, kind) for kind, count in failures.model_dump().items() if count]
    return ", ".join(f"{kind.replace('_', ' ')} {n:,}" for n, kind in sorted(counts, reverse=True))
