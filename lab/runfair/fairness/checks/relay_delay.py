"""Latencies contain hardly any delay of the relay.

**Looks for** queries that the relay delayed by more than the experiment declares. The relay is a
proxy between a service and its database. The relay adds a declared network delay (round trip) to
each query. Queries during the warm-up are not examined. The check also looks for connections on
which the relay could not recognise queries, because it could not read the declared protocol.

**Threshold** The relay's own delay is the time that the relay adds to a query beyond the declared
round trip. The check compares each percentile of this delay with the same percentile of the
latency. A request may make several queries, one after another, and the relay delays each of them.
So at p50 and p90, the check first multiplies the delay by the mean number of queries per request
(if this number is at least 1). If the product of delay and number of queries is more than
`MOST_ADDED` of the latency, the percentile is flagged (marked as doubtful). Above p90, the queries
with the longest delay need not belong to the slowest requests. So the check flags a percentile
above p90 only if the delay of one query is more than `MOST_OF_TAIL` of the latency. Above p90, a
delay of more than `MOST_ADDED` of the latency, but at most `MOST_OF_TAIL`, is only noted.

If the relay cannot recognise the queries on a connection, it passes the bytes on unchanged. The
report then notes that it is unknown how long single requests spent in the database.

**Source** The limit `MOST_ADDED` equals the limit of 5% for the load generator's own delay in the
section "Latency" of docs/statistics.md. relay/README.md describes the relay. In a measurement on a
quiet machine with two processors, the load generator, the relay and the database shared one of the
processors. In most executions of this measurement, the relay's own delay was 0.02 ms at p50, 0.1 ms
at p90, and 0.3 to 3.5 ms at p99. runfair's authors chose the limit `MOST_OF_TAIL` for percentiles
above p90.

**What to do** Use a quieter machine, or a machine with a spare processor for the relay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runfair.evidence.cell import CellEvidence
from runfair.evidence.costs import RelayEvidence
from runfair.evidence.load import LoadEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES, PERCENTILES
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.service import SHARES

NAME = "relay_delay"
DOUBT = "late relay"
VERSION = 2
MOST_ADDED = 0.05
MOST_OF_TAIL = 0.5
_MOST = 0.999999  # the greatest possible size: the relay caused the whole latency
BODY: tuple[FigureName, ...] = ("p50", "p90")


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        relayed = [
            (each.load, each.load.relay)
            for each in one.completed
            if each.load is not None and each.load.relay is not None
        ]
        yield from _added(one, relayed)
        yield from _unparsed(one, [relay for _, relay in relayed])


def _added(
    one: CellEvidence, relayed: list[tuple[LoadEvidence, RelayEvidence]]
) -> Iterator[Finding]:
    worst: dict[FigureName, float] = {}
    for name in PERCENTILES:
        shares = [
            _each(name, relay) * added_ns / latency_ns
            for load, relay in relayed
            if (added_ns := relay.added_ns[name]) is not None
            and (latency_ns := load.latency.value_at(SHARES[name]))
        ]
        if shares and max(shares) > MOST_ADDED:
            worst[name] = max(shares)
    certain = {name: share for name, share in worst.items() if name in BODY or share > MOST_OF_TAIL}
    rest = {name: share for name, share in worst.items() if name not in certain}
    if certain:
        advice = "use a quieter machine, or a machine with a free processor for the relay"
        yield _finding(one, "warning", certain, advice)
    if rest:
        yield _finding(one, "limitation", rest)


def _each(name: FigureName, relay: RelayEvidence) -> float:
    """The number of queries whose delay a request contains."""
    return max(1.0, relay.queries) if name in BODY else 1.0


def _finding(
    one: CellEvidence, severity: Severity, added: Mapping[FigureName, float], advice: str = ""
) -> Finding:
    most = max(added.values())
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*added],
        text=(
            f"up to {min(most, 1):.0%} of the latency may come from runfair's relay "
            "(the proxy between service and database)"
        ),
        advice=advice,
        values={f"{name}_added": share for name, share in added.items()},
        effect="longer",
        size=min(most, _MOST),
    )


def _unparsed(one: CellEvidence, relayed: list[RelayEvidence]) -> Iterator[Finding]:
    reasons = sorted({reason for relay in relayed for reason in relay.unparsed})
    if reasons:
        count = sum(sum(relay.unparsed.values()) for relay in relayed)
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=[*LATENCIES],
            text=(
                "the relay (the proxy before the database) could not recognise queries on "
                f"{count} connections to the database, so it did not time them "
                f"({', '.join(reasons)})"
            ),
        )
