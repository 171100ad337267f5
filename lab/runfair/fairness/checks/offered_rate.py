"""The latencies describe the service at the offered rate, not a service at its limit.

**Looks for** services whose achieved rate (answers per second) was below the offered rate (planned
requests per second), and for connections that were busy all the time. By Little's law, the share of
the connections in use is throughput × mean service time / connections. If nearly all connections
are in use, the load is effectively a closed loop: requests wait for earlier answers.

**Threshold** If the achieved rate was below `LEAST_ACHIEVED` of the offered rate in any execution,
the latencies are void (invalid). If a service cannot keep up with the offered rate, more and more
requests wait, and the latencies grow for as long as the load lasts. The latencies then depend on
the length of the load, and do not describe the service at the offered rate. If the load generator
itself was too slow for the offered rate, the check `generator_delay` judges the load instead. The
latencies are also void if the load was a closed loop, which has no offered rate. If more than
`SATURATED` of the connections were in use on average, the latencies are flagged (marked as
doubtful).

If the experiment states no objective (a limit for a percentile of the latency), the check only
notes this, but `./runfair decide` needs an objective. The load generator may have opened further
connections during the load, or replaced connections after a number of requests. The time to open a
connection is then part of some latencies, and this is only noted too.

**Source** The section "Fairness" of docs/statistics.md requires at least 99% of the offered rate.
According to the same section, the share of the connections in use was 1.00 in closed loops, and
0.05 to 0.14 in open loops.

**What to do** Choose a lower rate. If the service itself is mostly idle, choose more connections.
With `capacity = true` in the experiment, runfair finds the highest rate that meets the objective.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import Finding, Severity
from runfair.formats.load_result import LoadResult
from runfair.formats.record import Scalar
from runfair.statistics.objective import LEAST_ACHIEVED

NAME = "offered_rate"
DOUBT = "rate not kept"
VERSION = 3
SATURATED = 0.9
POOL = (
    "compare the latencies of this service only with latencies that were measured with the same "
    "`connections`, `max_connections` and `new_connection_every`"
)
OBJECTIVE = 'state an objective, such as `objective = "p99 < 25 ms"`'
ADVICE = "choose a lower rate, or use more connections if the service was idle during the load"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        loads = [run.load.result for run in one.completed if run.load is not None]
        if not loads:
            continue
        yield from _achieved(one, loads)
        yield from _connections(one, loads)
        if one.cell.service is not None and one.cell.service.point.objective is None:
            yield _finding(
                one,
                "limitation",
                "the experiment states no objective, so `./runfair decide` cannot decide "
                "whether a rewrite is justified",
                advice=OBJECTIVE,
            )


def _achieved(one: CellEvidence, loads: list[LoadResult]) -> Iterator[Finding]:
    if any(load.rate.ratio is None for load in loads):
        yield _finding(
            one,
            "fault",
            (
                "the load was a closed loop, in which a slow server is sent fewer requests, so "
                "stalls are under-represented"
            ),
        )
    on_time = [load for load in loads if not _generator_was_late(load)]
    ratios = [load.rate.ratio for load in on_time if load.rate.ratio is not None]
    if ratios and min(ratios) < LEAST_ACHIEVED:
        yield _finding(
            one,
            "fault",
            "the service is beyond its capacity, because the achieved rate was only "
            f"{min(ratios):.1%} of the offered rate",
            {"ratio": min(ratios)},
        )
        return
    used = max((_connections_used(load) for load in loads), default=0.0)
    if used > SATURATED:
        yield _finding(
            one,
            "warning",
            (
                f"on average, {used:.0%} of the {loads[0].connections} connections were in use; "
                "therefore many requests had to wait for a connection, as in a closed loop"
            ),
            {"connections_used": used},
        )


def _generator_was_late(load: LoadResult) -> bool:
    """Whether the generator reports that it could not offer the rate itself."""
    found = load.verdict.findings
    return any(one.check == "rate" and one.severity == "fault" for one in found)


def _connections(one: CellEvidence, loads: list[LoadResult]) -> Iterator[Finding]:
    added = max((load.connections_added for load in loads), default=0)
    if added:
        first = loads[0].connections
        yield _finding(
            one,
            "limitation",
            (
                f"the load generator's pool grew from {first} to {first + added} connections, "
                "because all connections were busy, so some requests had to wait until a new "
                "connection was open"
            ),
            {"connections_added": added},
            advice=POOL,
        )
    every = loads[0].new_connection_every
    if every is not None:
        opened = max(load.opening.connect_ns.p50 for load in loads)
        yield _finding(
            one,
            "limitation",
            (
                f"each connection was replaced after {every} requests, so some latencies include "
                f"the time for opening a connection (median {opened / 1e6:.2g} ms)"
            ),
            {"new_connection_every": every},
            advice=POOL,
        )


def _connections_used(load: LoadResult) -> float:
    """The mean share of connections in use, by Little's law (Operations Research 9, 1961)."""
    mean_ns = load.service_time_ns.mean or 0.0
    room = max(load.connections, load.max_connections) * max(1, _streams(load))
    return load.rate.achieved_per_s * mean_ns / 1e9 / room


def _streams(load: LoadResult) -> int:
    """The number of requests that a connection could carry at once."""
    return 1 if load.streams is None else load.streams.allowed


def _finding(
    one: CellEvidence,
    severity: Severity,
    text: str,
    values: dict[str, Scalar] | None = None,
    advice: str = ADVICE,
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=text,
        advice=advice,
        values=values or {},
    )
