"""The time that single requests spent in the database, from queries that do not name their request.

The relay records when a query came and when its answer was delivered; the generator records when a
request was sent and when it was answered. Both use one clock. A request waits only for its own
queries: each comes after the request was sent, and its answer before the request's answer. So a
query may belong to a request if it lies within the request's window, and certainly does if it lies
within no other. Requests that were alone also show how many queries each makes; if that number is
the same for all of them, and for all requests together, it narrows the rest.

A request's database time is the time during which any of its queries was under way, given as the
least and the most that its possible queries allow. A query is under way at least until its answer
was due, at most until the relay saw it delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from runfair.decision.limits import Limits
from runfair.evidence.load import ANSWERED, LoadEvidence, Queries
from runfair.evidence.reading import Traces
from runfair.formats.records_file import Records
from runfair.statistics.percentile import least_count, rank

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

STAMP_ERROR_NS = 100_000
"""The kernel stamps arrivals on the realtime clock, which is compared with the monotonic clock now
and then: between two comparisons they diverge by some microseconds."""

NOBODYS_SHARE = 0.01
"""The greatest share of the queries, by time or number, that may lie within no request. A greater
share means that the clocks differ, or that the service makes queries of its own."""

NEVER = 2**62
"""The end of a request that got no answer: any query after it was sent may belong to it."""

LONERS = 30
"""If so many requests are alike, at most one in ten differs (rule of three)."""

# How much time of the spans [start, end) counts, in ns, for arrays of starts and ends.
Measure = Callable[[IntArray, IntArray], IntArray]


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries that were answered: when each came, the earliest instant at which its answer can have
    been delivered, and the instant at which the relay saw it delivered; each of shape (queries,).
    All instants may be offset from the requests' by up to `uncertainty_ns`, if the clocks are of
    two places."""

    arrived_ns: IntArray
    due_ns: IntArray
    delivered_ns: IntArray
    uncertainty_ns: int = 0


@dataclass(frozen=True, eq=False)
class Sent:
    """All requests that were sent, answered or not; a request without an answer is done at
    NEVER."""

    sent_ns: IntArray
    done_ns: IntArray


@dataclass(frozen=True)
class DatabaseTimes:
    """The database time of chosen requests.

    `limits` is None if too many queries belong to no request: `nobodys` of `queries`, more than
    NOBODYS_SHARE by number or time. `queries_each` is the number of queries that every request
    makes, None if it varies or is unknown; `uneven`: requests that were alone made different
    numbers of queries."""

    limits: Limits | None
    queries: int
    nobodys: int
    queries_each: int | None
    uneven: bool = False


def database_times(
    sent: Sent, asked: Asked, chosen: IntArray, measures: tuple[Measure, Measure] | None = None
) -> DatabaseTimes:
    """The database times of the `chosen` requests, which are indices into `sent`. `measures` give
    the least and the most time of a span that counts (by default all of it). ValueError for arrays
    of unequal length."""
    matching = _Matching(sent, asked, measures or (_whole, _whole))
    nobodys, too_many = matching.nobodys()
    if too_many:
        return DatabaseTimes(None, matching.queries, nobodys, None)
    counts = matching.counts_alone() if not nobodys else None
    each = matching.queries_each(counts)
    found = [matching.limits(int(one), each, certain=not nobodys) for one in chosen]
    least, most = np.array(found, dtype=np.float64).reshape(len(found), 2).T
    uneven = counts is not None and len(counts) > 1
    return DatabaseTimes(Limits(least, most), matching.queries, nobodys, each, uneven)


def _whole(starts_ns: IntArray, ends_ns: IntArray) -> IntArray:
    return ends_ns - starts_ns


class _Matching:
    """Requests in the order in which they were sent, and queries in the order in which they
    came."""

    def __init__(self, sent: Sent, asked: Asked, measures: tuple[Measure, Measure]) -> None:
        if (
            len(sent.sent_ns) != len(sent.done_ns)
            or len({len(asked.arrived_ns), len(asked.due_ns), len(asked.delivered_ns)}) != 1
        ):
            raise ValueError("each request, and each query, has all of its instants")
        self._apart_ns = asked.uncertainty_ns
        self._error_ns = STAMP_ERROR_NS + self._apart_ns
        order = np.argsort(sent.sent_ns, kind="stable")
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._sent, self._done = sent.sent_ns[order], sent.done_ns[order]
        # For each request the latest end of all requests up to it: requests that are under way at
        # an instant come after the last one whose value lies before that instant.
        self._reached = np.maximum.accumulate(self._done)
        answered = self._done[self._done < NEVER]
        until_ns = answered.max() if len(answered) else 0
        # Queries before and after the load have other sources, such as the check that the service
        # is up.
        among = (
            (asked.arrived_ns >= self._sent[0] - self._apart_ns)
            & (asked.due_ns <= until_ns + self._apart_ns)
            if len(order)
            else np.zeros(len(asked.arrived_ns), dtype=np.bool_)
        )
        ordered = np.flatnonzero(among)[np.argsort(asked.arrived_ns[among], kind="stable")]
        self._arrived, self._due = asked.arrived_ns[ordered], asked.due_ns[ordered]
        self._delivered = asked.delivered_ns[ordered]
        self._least_measure, self._most_measure = measures
        self._candidates: dict[int, IntArray] = {}

    @property
    def queries(self) -> int:
        return len(self._arrived)

    def nobodys(self) -> tuple[int, bool]:
        """The number of queries within no request, and whether it is too large."""
        if not self.queries:
            return 0, False
        last = np.searchsorted(self._sent, self._arrived + self._error_ns, side="right") - 1
        outside = self._reached[last] + self._error_ns < self._due
        lengths = self._delivered - self._arrived
        number = float(outside.mean())
        time = float(lengths[outside].sum() / max(1, lengths.sum()))
        return int(outside.sum()), max(number, time) > NOBODYS_SHARE

    def counts_alone(self) -> set[int] | None:
        """The numbers of queries made by requests that were alone; None if there were too few such
        requests."""
        if len(self._sent) < LONERS:
            return None
        apart_ns = 2 * self._error_ns
        after = np.concatenate(([True], self._sent[1:] > self._reached[:-1] + apart_ns))
        before = np.concatenate((self._done[:-1] + apart_ns < self._sent[1:], [True]))
        alone = np.flatnonzero(after & before)
        if len(alone) < LONERS:
            return None
        return {len(self._within(int(one))) for one in alone}

    def queries_each(self, counts: set[int] | None) -> int | None:
        """The number of queries of every request, from requests that were alone and from all
        together."""
        if counts is None or len(counts) > 1:
            return None
        (each,) = counts
        return each if each * len(self._sent) == self.queries else None

    def limits(self, request: int, each: int | None, *, certain: bool) -> tuple[int, int]:
        """The limits of one request's database time, in ns. If the service makes queries of its own
        now and then, no query is `certain` to belong to the request."""
        one = int(self._place[request])
        mine = self._within(one)
        if not len(mine) or each == 0:
            return 0, 0
        rivals = self._rivals(one)
        theirs = self._holds(rivals, mine)
        own = ~theirs.any(axis=0) & certain
        if each is None:
            return self._least(one, mine[own]), self._most(one, mine)
        # A rival that has no more queries than it needs takes all of them.
        settled = [len(self._within(int(rival))) == each for rival in rivals]
        possible = mine[own] if own.sum() == each else mine[~theirs[settled].any(axis=0)]
        if len(possible) <= each:
            return self._least(one, possible), self._most(one, possible)
        shortest = np.sort(self._shortest(one, possible))
        longest = np.sort(self._longest(one, possible))
        least_ns = max(self._least(one, mine[own]), int(shortest[each - 1]))
        most_ns = min(self._most(one, possible), int(longest[-each:].sum()))
        return least_ns, most_ns

    def _within(self, one: int) -> IntArray:
        """The queries that lie within a request's window."""
        if one not in self._candidates:
            first = np.searchsorted(self._arrived, self._sent[one] - self._error_ns)
            last = np.searchsorted(self._arrived, self._done[one] + self._apart_ns, side="right")
            in_time = self._due[first:last] - self._error_ns <= self._done[one]
            self._candidates[one] = np.flatnonzero(in_time) + int(first)
        return self._candidates[one]

    def _rivals(self, one: int) -> IntArray:
        """The other requests that were under way at the same time."""
        first = np.searchsorted(self._reached, self._sent[one] - 2 * self._error_ns)
        last = np.searchsorted(self._sent, self._done[one] + 2 * self._error_ns, side="right")
        near: IntArray = np.arange(first, last)
        others: IntArray = near[near != one]
        return others

    def _holds(self, requests: IntArray, queries: IntArray) -> BoolArray:
        """Whether a query lies within a request, shape (requests, queries)."""
        sent, done = self._sent[requests, None], self._done[requests, None]
        holds: BoolArray = (self._arrived[queries] >= sent - self._error_ns) & (
            self._due[queries] - self._error_ns <= done
        )
        return holds

    def _spans(
        self, one: int, queries: IntArray, ends_ns: IntArray, apart_ns: int
    ) -> tuple[IntArray, IntArray]:
        """The parts of the queries' spans within the request's window, which is widened on both
        sides."""
        starts = np.maximum(self._arrived[queries], self._sent[one] - apart_ns)
        ends = np.minimum(ends_ns[queries], self._done[one] + apart_ns)
        return starts, np.maximum(ends, starts)

    def _shortest(self, one: int, queries: IntArray) -> IntArray:
        lengths: IntArray = self._least_measure(*self._spans(one, queries, self._due, 0))
        return lengths

    def _longest(self, one: int, queries: IntArray) -> IntArray:
        spans = self._spans(one, queries, self._delivered, self._apart_ns)
        lengths: IntArray = self._most_measure(*spans)
        return lengths

    def _least(self, one: int, queries: IntArray) -> int:
        return _united(self._spans(one, queries, self._due, 0), self._least_measure)

    def _most(self, one: int, queries: IntArray) -> int:
        spans = self._spans(one, queries, self._delivered, self._apart_ns)
        return _united(spans, self._most_measure)


def _united(spans: tuple[IntArray, IntArray], measure: Measure) -> int:
    """The time covered by at least one of the spans, which are in the order of their starts."""
    starts, ends = spans
    if not len(starts):
        return 0
    reached = np.maximum.accumulate(ends)
    new = np.maximum(starts, np.concatenate((starts[:1], reached[:-1])))
    return int(measure(new, np.maximum(ends, new)).sum())


def asked_of(
    rows: NDArray[np.void], answered: NDArray[np.bool_], queries: Queries, load: LoadEvidence
) -> tuple[Sent, Asked, IntArray]:
    """The sent requests and the queries, with instants from the load's start, and the requests' row
    numbers."""
    sent = column_ns(rows, "sent_ns")
    went = np.flatnonzero((sent > 0) | answered)
    done = np.where(answered, column_ns(rows, "done_ns"), NEVER)
    began_ns = load.result.started.monotonic_ns
    asked = Asked(
        queries.arrived_ns - began_ns,
        queries.due_ns - began_ns,
        queries.delivered_ns - began_ns,
        queries.place.uncertainty_to(load.place),
    )
    return Sent(sent[went], done[went]), asked, went


def answered_rows(records: Records) -> NDArray[np.bool_]:
    """Whether each request has an answer, (requests,)."""
    kinds = records.header.kinds
    answered: NDArray[np.bool_] = np.isin(
        records.rows["kind"], [kinds.index(one) for one in ANSWERED if one in kinds]
    )
    return answered


def column_ns(rows: NDArray[np.void], name: str) -> IntArray:
    values: IntArray = rows[name].astype(np.int64)
    return values


NONE_CHOSEN: IntArray = np.empty(0, dtype=np.int64)


def least_percentile_ns(load: LoadEvidence, traces: Traces, share: float) -> float | None:
    """A lower limit of a percentile of the requests' database time, in the steady part.

    If every request makes k queries, there are k times as many queries as requests, and at least
    1/k as many requests as queries took longer than any t. So the percentile of the requests' time
    is never below the same percentile of the queries' time. None without a relay, if requests make
    different numbers of queries or too few, and if some queries lie within no request.

    Requests that were alone show whether all make the same number of queries. If none was alone,
    the number of queries must be a whole multiple of the number of requests.
    """
    if traces.queries is None:
        return None
    rows = traces.records.rows
    sent, asked, _ = asked_of(rows, answered_rows(traces.records), traces.queries, load)
    found = database_times(sent, asked, NONE_CHOSEN)
    requests = len(sent.sent_ns)
    evenly = requests > 0 and found.queries >= requests and found.queries % requests == 0
    if found.nobodys or found.uneven or not (found.queries_each or evenly):
        return None
    steady = (asked.arrived_ns >= load.steady_from_ns) & (asked.arrived_ns < load.result.elapsed_ns)
    took_ns = np.sort((asked.due_ns - asked.arrived_ns)[steady])
    if len(took_ns) < least_count(share):
        return None
    return float(took_ns[rank(share, len(took_ns)) - 1])
