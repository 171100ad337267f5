"""The evidence of a load on a service: latencies by window, the steady point, and the distribution
of the steady part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from runfair.evidence.costs import RelayEvidence, TreeCost
from runfair.evidence.windows import Windows, windows_of
from runfair.formats.finding import VerdictState
from runfair.formats.histogram import Histogram, Interval
from runfair.formats.load_result import LoadResult
from runfair.formats.place import HERE, Location
from runfair.formats.records_file import Records
from runfair.formats.relay_report import RelayReport
from runfair.formats.service import SHARES, Percentile, Usage
from runfair.statistics.dependence import effective_count
from runfair.statistics.objective import serves
from runfair.statistics.steady_state import SteadyState, detect
from runfair.statistics.tail_change import BLOCKS

# On real servers the detector's answers change with noise at a tolerance of 1%; at 3 to 5% they are
# stable (docs/statistics.md, "Steady state").
LEVEL_TOLERANCE = 0.05
# Time-outs and refusals have no latency; a wrong answer has a latency but does not count.
ANSWERED = ("good", "miss")
GIVEN_UP = ("timed_out", "unsent")
WRONG_BODY = "wrong_body"
# Memory is sampled once more after a load has ended; taking the sample needs some time.
LAST_LOOK_NS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Queries:
    """The answered queries that the relay passed on: the instants at which a query came from the
    service and at which its answer was delivered, on the lab's clock. `due_ns` is the earliest
    possible delivery: the relay may notice it late. `added_ns` is the relay's delay beyond the
    declared round trip: NaN if unknown, empty if unknown for all. The relay's place is `place`."""

    arrived_ns: NDArray[np.int64]
    delivered_ns: NDArray[np.int64]
    due_ns: NDArray[np.int64]
    added_ns: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    place: Location = HERE


@dataclass(frozen=True, eq=False)
class Level:
    """A stretch (span of time) of a load: its latencies, and the service's CPU time per request
    (None if unknown)."""

    latency: Histogram
    cpu_ns: float | None = None


@dataclass(frozen=True, eq=False)
class LoadEvidence:
    """The load at a service's operating point, in one execution.

    `latency` and `send_lag` cover the good answers of the steady part, which begins at
    `steady_from_ns`. Without a steady state, the last half of the load takes the place of the
    steady part. If the load is shorter than a window, the whole load takes its place. `own` is the
    cost of a request in the service, `database` its cost in the database, `database_ns_per_request`
    its time in queries (None without a relay). `logged` is the number of latencies in the interval
    log of the whole load; `independent` is the effective sample size of the steady part, for each
    percentile. `relay` is the relay's delay; None if it was not reported. `steady_failed` counts
    the steady part's failed requests; `steady_unseen` is the expected number of further wrong
    bodies in it, which were not compared and therefore count as good answers. `given_up` has the
    waits for requests that timed out. `answer_bytes` is the mean size of the answers. `least` has
    the lower limit of each good answer's latency without the generator's own lateness (None without
    records). If the load is not shown to be steady, `levels` has its levels in order: the levels of
    its last half or, if the last half is a single level, the two halves of this last half. `blocks`
    has the latencies of the whole load in `BLOCKS` stretches of equal time, to find changes of the
    tail. The load's start is on the lab's clock; its uncertainty is that of the clock offset of the
    generator's `place`. The clock of `usage_place` timed the samples of the processes' CPU time and
    memory.
    """

    result: LoadResult
    windows: Windows
    steady: SteadyState
    steady_from_ns: int
    latency: Histogram
    send_lag: Histogram
    own: TreeCost
    database: TreeCost
    peak_bytes: int | None
    logged: int
    independent: Mapping[Percentile, float]
    database_ns_per_request: float | None = None
    steady_failed: int | None = None
    steady_unseen: float = 0.0
    given_up: Histogram | None = None
    answer_bytes: float | None = None
    relay: RelayEvidence | None = None
    least: Histogram | None = None
    levels: tuple[Level, ...] = ()
    blocks: tuple[Histogram, ...] = ()
    place: Location = HERE
    usage_place: Location = HERE

    @property
    def failed_share(self) -> float:
        """The share of failed requests in the whole load or in its steady part, whichever is
        greater."""
        whole = self.result.failed_share
        if self.steady_failed is None:
            return whole
        return max(whole, self.steady_failed_share)

    @property
    def steady_failed_share(self) -> float:
        """The share of failed requests in the steady part; if it is unknown, in the whole load."""
        if self.steady_failed is None:
            return self.failed_share
        # The answers that were not compared are among the latencies.
        failed = self.steady_failed + self.steady_unseen
        return failed / max(1, self.steady_failed + self.latency.total)

    @property
    def steady_failures(self) -> int:
        """The number of failed requests in the steady part: counted, or estimated from the whole
        load. They are not among the latencies, unlike the `steady_unseen`."""
        if self.steady_failed is not None:
            return self.steady_failed
        told = self.result.requests
        share = min(told.failed / max(1, told.scheduled), 1 - 1e-9)
        return ceil(share / (1 - share) * self.latency.total)

    @property
    def mean_ns(self) -> float | None:
        """The mean latency of the steady part, to the histogram's precision."""
        return self.latency.mean


def examine(
    result: LoadResult,
    intervals: Sequence[Interval],
    usage: Sequence[Usage],
    tolerance: float,
    queries: Queries | None = None,
    records: Records | None = None,
    relay: RelayReport | None = None,
    settled_ns: int = 0,
    place: Location = HERE,
    usage_place: Location = HERE,
) -> LoadEvidence:
    """The evidence of one load. `tolerance` is the difference of levels that this machine causes.
    `queries` are the relay's records, `relay` is the relay's report, `records` are all single
    requests; each is None if it was not kept. The steady part begins at least `settled_ns` after
    the load's start: from then on the tail does not change. The start is on the lab's clock; the
    generator ran in `place`, and `usage` was timed in `usage_place`."""
    of_latency = [one for one in intervals if one.quantity == "latency"]
    windows = windows_of(of_latency)
    steady = _settled(_steadiness(windows, max(LEVEL_TOLERANCE, tolerance)), windows, settled_ns)
    first = steady.start if steady.start is not None else len(windows.start_ns) // 2
    from_ns = int(windows.start_ns[first]) if len(windows.start_ns) else 0

    ended_ns = result.started.monotonic_ns + result.elapsed_ns
    during = [one for one in usage if one.monotonic_ns <= ended_ns + LAST_LOOK_NS]

    def of(quantity: str) -> list[Histogram]:
        return [
            one.histogram
            for one in intervals
            if one.quantity == quantity and one.start_ns >= from_ns
        ]

    latency = Histogram.merged(of("latency"))
    apart_ns = usage_place.uncertainty_to(place)
    return LoadEvidence(
        result=result,
        windows=windows,
        steady=steady,
        steady_from_ns=from_ns,
        latency=latency,
        send_lag=Histogram.merged(of("send_lag")),
        own=TreeCost.of(usage, "service", result, of_latency, from_ns, apart_ns),
        database=TreeCost.of(usage, "database", result, of_latency, from_ns, apart_ns),
        database_ns_per_request=_database_ns(queries, result, latency.total, from_ns),
        relay=_relayed(queries, relay, result, latency.total, from_ns),
        logged=sum(one.histogram.total for one in of_latency),
        independent=_independent(result, latency, of("latency")),
        steady_failed=None if records is None else _failed(records, from_ns),
        steady_unseen=_unseen(records, result, from_ns, latency.total),
        given_up=None if records is None else _given_up(records, from_ns),
        answer_bytes=None if records is None else _answer_bytes(records, result, from_ns),
        levels=_levels(windows, steady, of_latency, usage, result),
        blocks=_blocks(of_latency),
        least=None if records is None else _least(records, from_ns),
        place=place,
        usage_place=usage_place,
        peak_bytes=max((one.peak_bytes for one in during if one.of == "service"), default=None),
    )


def _independent(
    result: LoadResult, latency: Histogram, steady: Sequence[Histogram]
) -> dict[Percentile, float]:
    """The effective sample size of each percentile, as the generator estimated it over the whole
    load. In the whole load, the warm-up may look like dependence between requests. The steady
    part's own estimate is used if it shows less dependence."""
    told = result.latency_ns
    share_steady = latency.total / max(1, told.count)
    found = {
        name: told.effective_count[name] * share_steady
        for name in SHARES
        if name in told.effective_count
    }
    if not latency.total or share_steady >= 1:
        return found
    stretch = np.repeat(np.arange(len(steady)), [len(one.counts) for one in steady])
    cell = np.searchsorted(latency.least, np.concatenate([one.least for one in steady]))
    counts = np.concatenate([one.counts for one in steady])
    return {
        name: max(count, effective_count(stretch, cell, counts, SHARES[name]))
        for name, count in found.items()
    }


def answered_rows(records: Records) -> NDArray[np.bool_]:
    """Whether each request has an answer."""
    answered = [at for at, kind in enumerate(records.header.kinds) if kind in ANSWERED]
    return np.isin(records.rows["kind"], answered)


def _failed(records: Records, from_ns: int) -> int:
    """The number of failed requests that were due at or after an instant."""
    return int(np.sum(~answered_rows(records) & (records.rows["intended_ns"] >= from_ns)))


def _unseen(records: Records | None, result: LoadResult, from_ns: int, answered: int) -> float:
    """The expected number of wrong bodies that were not compared, of the `answered` requests that
    were due at or after an instant: their part of the whole load's number, by the wrong bodies that
    were found or, without records, by the answers. Records do not say how a wrong body was found.
    If some were found without a comparison, the result is an upper limit: the whole number."""
    unseen = result.unseen_wrong
    if records is None:
        return unseen * answered / max(1, result.requests.good)
    wrong = result.requests.failures.wrong_body
    if unseen and wrong == result.bodies[0].wrong:
        found = records.rows["kind"] == records.header.kinds.index(WRONG_BODY)
        unseen *= np.count_nonzero(found & (records.rows["intended_ns"] >= from_ns)) / wrong
    return min(float(answered), unseen)


def _given_up(records: Records, from_ns: int) -> Histogram:
    """The generator's waits for the requests that were due at or after an instant and timed out."""
    kinds = [records.header.kinds.index(one) for one in GIVEN_UP if one in records.header.kinds]
    rows = records.rows[
        np.isin(records.rows["kind"], kinds) & (records.rows["intended_ns"] >= from_ns)
    ]
    return Histogram.of_values(
        rows["done_ns"].astype(np.int64) - rows["intended_ns"].astype(np.int64)
    )


def _levels(
    windows: Windows,
    steady: SteadyState,
    of_latency: Sequence[Interval],
    usage: Sequence[Usage],
    result: LoadResult,
) -> tuple[Level, ...]:
    found = []
    for start_ns, end_ns in _stretches(windows, steady):
        latency = [each.histogram for each in of_latency if start_ns <= each.start_ns < end_ns]
        cost = TreeCost.of(usage, "service", result, of_latency, start_ns, until_ns=end_ns)
        found.append(Level(Histogram.merged(latency), cost.cpu_ns))
    return tuple(found)


def _stretches(windows: Windows, steady: SteadyState) -> list[tuple[int, int]]:
    """The start and the end of each level in the last half of a load that is not shown to be
    steady."""
    if steady.start is not None or not len(windows.start_ns):
        return []
    edges = [*windows.start_ns.tolist(), int(windows.end_ns[-1])]
    return [(edges[start], edges[end]) for start, end in steady.last_levels()]


def _least(records: Records, from_ns: int) -> Histogram:
    """The latencies of the answers at or after an instant, each minus the greatest lag of its busy
    period.

    A request that was sent late may have delayed the requests behind it, so its lag is subtracted
    from its whole busy period. A busy period ends when no earlier request is still under way.
    """
    order = np.argsort(records.rows["intended_ns"], kind="stable")
    intended, free, sent, done = (
        records.rows[f"{name}_ns"][order].astype(np.int64)
        for name in ("intended", "free", "sent", "done")
    )
    lag = np.maximum(0, sent - np.maximum(intended, free))
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = intended[1:] > np.maximum.accumulate(done)[:-1]
    period = np.cumsum(begins) - 1
    greatest = np.zeros(int(period[-1]) + 1 if len(period) else 0, dtype=np.int64)
    np.maximum.at(greatest, period, lag)
    steady = answered_rows(records)[order] & (intended >= from_ns)
    latency = (done - intended)[steady]
    return Histogram.of_values(np.maximum(0, latency - greatest[period[steady]]))


def _answer_bytes(records: Records, result: LoadResult, from_ns: int) -> float | None:
    """The mean size of the answers at or after an instant. The records contain the sizes of bodies.
    The size of the head is constant: it is computed from the load's bytes beyond all bodies."""
    bodies = records.rows["answer_bytes"].astype(np.int64)
    steady = bodies[(records.rows["intended_ns"] >= from_ns) & (bodies > 0)]
    completed = result.requests.completed
    if not len(steady) or not completed:
        return None
    return float(steady.mean()) + (result.bytes.received - int(bodies.sum())) / completed


def _database_ns(
    queries: Queries | None, result: LoadResult, requests: int, from_ns: int
) -> float | None:
    """The time in queries for each answer of the steady part, including the declared round trip.
    Like CPU time, it includes failed requests: the relay does not know the request of a query."""
    if queries is None or not requests:
        return None
    steady = _steady_queries(queries, result, from_ns)
    return float((queries.delivered_ns - queries.arrived_ns)[steady].sum()) / requests


def _relayed(
    queries: Queries | None,
    relay: RelayReport | None,
    result: LoadResult,
    requests: int,
    from_ns: int,
) -> RelayEvidence | None:
    if queries is None or relay is None or not requests or not len(queries.added_ns):
        return None
    steady = _steady_queries(queries, result, from_ns)
    return RelayEvidence.of(queries.added_ns[steady], float(steady.sum()) / requests, relay)


def _steady_queries(queries: Queries, result: LoadResult, from_ns: int) -> NDArray[np.bool_]:
    began_ns = result.started.monotonic_ns
    steady: NDArray[np.bool_] = (queries.arrived_ns >= began_ns + from_ns) & (
        queries.arrived_ns < began_ns + result.elapsed_ns
    )
    return steady


def _blocks(of_latency: Sequence[Interval]) -> tuple[Histogram, ...]:
    end_ns = max((one.start_ns + one.length_ns for one in of_latency), default=0)
    held: list[list[Histogram]] = [[] for _ in range(BLOCKS)]
    for one in of_latency:
        held[one.start_ns * BLOCKS // end_ns].append(one.histogram)
    return tuple(map(Histogram.merged, held))


def _settled(steady: SteadyState, windows: Windows, settled_ns: int) -> SteadyState:
    """The same steady state, beginning at a given instant at the earliest."""
    first = int(np.searchsorted(windows.start_ns, settled_ns))
    if steady.start is None or first <= steady.start or first >= len(windows.start_ns):
        return steady
    flat = steady.classification == "flat"
    return replace(steady, start=first, classification="warmup" if flat else steady.classification)


def _steadiness(windows: Windows, tolerance: float) -> SteadyState:
    if not len(windows.p50_ns):
        return SteadyState("too short", None, ())
    return detect(windows.p50_ns, tolerance=tolerance)


@dataclass(frozen=True, eq=False)
class Probe:
    """A load at another rate than the operating point's.

    `percentiles` cover the whole load. `achieved_share` is the achieved share of the rate; the
    probe is `served` if the rate was achieved and hardly any request failed."""

    rate_per_s: float
    served: bool
    percentiles: dict[str, int | None]
    verdict: VerdictState
    achieved_share: float = 1.0


def probe(rate_per_s: float, result: LoadResult) -> Probe:
    """The evidence of a load at this rate."""
    figures = result.latency_ns
    names: tuple[Percentile, ...] = get_args(Percentile)
    told: dict[str, int | None] = {name: figures.percentile(name) for name in names}
    ratio = result.rate.ratio
    state = result.verdict.state
    if state == "void" and not result.is_unknown:
        state = "flagged"
    return Probe(rate_per_s, serves(ratio, result.failed_share), told, state, ratio or 0.0)
