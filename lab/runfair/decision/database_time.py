"""The time that single requests spent in the database, computed from queries that do not name their
request.

The relay records when a query came and when its answer was delivered; the generator records when a
request was sent and when it was answered. Relay and generator use the same clock. A request waits
only for its own queries. Each of its queries comes after the request was sent, and the query's
answer comes before the request's answer. The window of a request is the time from its sending to
its answer. A query may therefore belong to a request if it lies within the request's window. The
query certainly belongs to the request if it lies within no other window. Some requests are alone:
no other request is under way at the same time. Requests that are alone show how many queries a
request makes. If this number is the same for all of them, and agrees with the total number of
queries, it narrows the limits of the other requests.

A request's database time is the time during which any of its queries was under way. The database
time is given as the least and the greatest time that the possible queries allow. A query is under
way at least until its answer was due for delivery, and at most until the relay noticed the
delivery.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runfair.decision.limits import Limits
from runfair.evidence.load import LoadEvidence, Queries
from runfair.statistics.array import BoolArray, IntArray

STAMP_ERROR_NS = 100_000
"""The tolerance for comparing instants. The kernel stamps arrivals by the realtime clock, which is
compared with the monotonic clock only occasionally. Between two comparisons the clocks diverge by
some microseconds."""

NOBODYS_SHARE = 0.01
"""The greatest share of the queries, by time or number, that may lie within no request. A greater
share means that the clocks differ, or that the service makes queries of its own."""

NEVER = 2**62
"""The end of a request that got no answer: any query after it was sent may belong to it."""

LONERS = 30
"""The least number of requests that were alone. If all of these requests make the same number of
queries, at most one request in ten makes another number of queries (rule of three)."""

# A function that returns the part of each span [start, end) that counts, in ns, for arrays of
# starts and ends.
Measure = Callable[[IntArray, IntArray], IntArray]


@dataclass(frozen=True, eq=False)
class Asked:
    """The answered queries: the instant at which a query came, the earliest instant at which its
    answer can have been delivered, and the instant at which the relay noticed the delivery. Each
    array has shape (queries,). If the clocks belong to two places, these instants may be offset
    from the requests' instants by up to `uncertainty_ns`."""

    arrived_ns: IntArray
    due_ns: IntArray
    delivered_ns: IntArray
    uncertainty_ns: int = 0


@dataclass(frozen=True, eq=False)
class Sent:
    """All requests that were sent, with or without an answer. A request without an answer is done
    at NEVER."""

    sent_ns: IntArray
    done_ns: IntArray


@dataclass(frozen=True)
class DatabaseTimes:
    """The database time of chosen requests.

    `nobodys` is the number of the `queries` that belong to no request. If their share of all
    queries, by number or by time, is above NOBODYS_SHARE, `limits` is None. `queries_each` is the
    number of queries that every request makes; None if it varies or is unknown. `uneven`: requests
    that were alone made different numbers of queries."""

    limits: Limits | None
    queries: int
    nobodys: int
    queries_each: int | None
    uneven: bool = False


def database_times(
    sent: Sent, asked: Asked, chosen: IntArray, measures: tuple[Measure, Measure] | None = None
) -> DatabaseTimes:
    """The database times of the `chosen` requests, which are indices into `sent`. The functions
    `measures` return the least and the greatest part of a span that counts (by default, the whole
    span). Raises ValueError if arrays have unequal lengths."""
    matching = _Matching(sent, asked, measures or (whole, whole))
    nobodys, too_many = matching.nobodys()
    if too_many:
        return DatabaseTimes(None, matching.queries, nobodys, None)
    counts = matching.counts_alone() if not nobodys else None
    each = matching.queries_each(counts)
    found = [matching.limits(int(one), each, certain=not nobodys) for one in chosen]
    least, most = np.array(found, dtype=np.float64).reshape(len(found), 2).T
    uneven = counts is not None and len(counts) > 1
    return DatabaseTimes(Limits(least, most), matching.queries, nobodys, each, uneven)


def whole(starts_ns: IntArray, ends_ns: IntArray) -> IntArray:
    """The measure of which the whole span counts."""
    return ends_ns - starts_ns


class _Matching:
    """The matching of queries with requests. Requests are in the order in which they were sent,
    queries in the order in which they came."""

    def __init__(self, sent: Sent, asked: Asked, measures: tuple[Measure, Measure]) -> None:
        if (
            len(sent.sent_ns) != len(sent.done_ns)
            or len({len(asked.arrived_ns), len(asked.due_ns), len(asked.delivered_ns)}) != 1
        ):
            raise ValueError(
                "the arrays of requests must have equal lengths, and the arrays of queries must "
                "have equal lengths"
            )
        self._apart_ns = asked.uncertainty_ns
        self._error_ns = STAMP_ERROR_NS + self._apart_ns
        order = np.argsort(sent.sent_ns, kind="stable")
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._sent, self._done = sent.sent_ns[order], sent.done_ns[order]
        # For each request, the latest end of all requests up to it. The requests that are under way
        # at an instant come after the last request whose value lies before the instant.
        self._reached = np.maximum.accumulate(self._done)
        answered = self._done[self._done < NEVER]
        until_ns = answered.max() if len(answered) else 0
        # Queries before and after the load have other sources, for example the check that the
        # service is ready.
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
        """The number of queries that lie within no request, and whether this number is too
        large."""
        if not self.queries:
            return 0, False
        last = np.searchsorted(self._sent, self._arrived + self._error_ns, side="right") - 1
        outside = self._reached[last] + self._error_ns < self._due
        lengths = self._delivered - self._arrived
        number = float(outside.mean())
        time = float(lengths[outside].sum() / max(1, lengths.sum()))
        return int(outside.sum()), max(number, time) > NOBODYS_SHARE

    def counts_alone(self) -> set[int] | None:
        """The numbers of queries that requests made while they were alone; None if there were too
        few such requests."""
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
        """The number of queries that every request makes. The number is derived from requests that
        were alone and from the total."""
        if counts is None or len(counts) > 1:
            return None
        (each,) = counts
        return each if each * len(self._sent) == self.queries else None

    def limits(self, request: int, each: int | None, *, certain: bool) -> tuple[int, int]:
        """The limits of one request's database time, in ns. If the service sometimes makes queries
        of its own, no query is `certain` to belong to the request."""
        one = int(self._place[request])
        mine = self._within(one)
        if not len(mine) or each == 0:
            return 0, 0
        rivals = self._rivals(one)
        theirs = self._holds(rivals, mine)
        own = ~theirs.any(axis=0) & certain
        if each is None:
            return self._least(one, mine[own]), self._most(one, mine)
        # If a rival has no more possible queries than it makes, all of them belong to the rival.
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
        """Whether each query lies within each request; an array of shape (requests, queries)."""
        sent, done = self._sent[requests, None], self._done[requests, None]
        holds: BoolArray = (self._arrived[queries] >= sent - self._error_ns) & (
            self._due[queries] - self._error_ns <= done
        )
        return holds

    def _spans(
        self, one: int, queries: IntArray, ends_ns: IntArray, apart_ns: int
    ) -> tuple[IntArray, IntArray]:
        """The parts of the queries' spans that lie within the request's window. The window is
        widened on both sides."""
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
        return united(self._spans(one, queries, self._due, 0), self._least_measure)

    def _most(self, one: int, queries: IntArray) -> int:
        spans = self._spans(one, queries, self._delivered, self._apart_ns)
        return united(spans, self._most_measure)


def united(spans: tuple[IntArray, IntArray], measure: Measure) -> int:
    """The time covered by at least one of the spans, which are in the order of their starts."""
    starts, ends = spans
    if not len(starts):
        return 0
    reached = np.maximum.accumulate(ends)
    new = np.maximum(starts, np.concatenate((starts[:1], reached[:-1])))
    return int(measure(new, np.maximum(ends, new)).sum())


def asked_of(
    rows: NDArray[np.void], answered: BoolArray, queries: Queries, load: LoadEvidence
) -> tuple[Sent, Asked, IntArray]:
    """The sent requests and the queries, with instants counted from the load's start, and the row
    numbers of the requests."""
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


def column_ns(rows: NDArray[np.void], name: str) -> IntArray:
    values: IntArray = rows[name].astype(np.int64)
    return values
