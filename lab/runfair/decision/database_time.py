"""The time that single requests spent in the database, from queries that do not say whose they are.

The relay tells when a query came and when its answer was delivered, the generator when a request
was sent and when it was answered, both on one clock. A request waits for its own queries only: each
comes after the request was sent, and its answer before that of the request. So a query is one of a
request's candidates where it lies within the request's window, and whose it is, is certain where it
lies within no other. Of requests that were alone one learns besides how many queries each makes;
where that is the same number for all of them, and for all requests together, it narrows the rest.

What the request spent there is the time in which one of its queries was under way, between the
least and the most that the candidates leave possible. A query is under way at least until its
answer was due, at most until the relay saw it delivered.
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
"""Arrivals are stamped by the kernel on the realtime clock, which is read beside the monotonic one
every so often: between two readings they part by some microseconds."""

NOBODYS_SHARE = 0.01
"""Of the queries' time or number: more within no request at all means that the clocks are apart, or
that the service asks the database for itself."""

NEVER = 2**62
"""When a request that got no answer is done: whatever was asked after it was sent may be its."""

LONERS = 30
"""As many requests as show, all alike, that at most one in ten is unlike (rule of three)."""

# How much of a span [start, end) counts, in ns, for arrays of starts and ends.
Measure = Callable[[IntArray, IntArray], IntArray]


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries that were answered: when each came, the soonest that its answer can have been
    delivered, and when it was seen delivered; (queries,) each. All of them may be early or late
    against the requests by `uncertainty_ns`, as clocks of two places are."""

    arrived_ns: IntArray
    due_ns: IntArray
    delivered_ns: IntArray
    uncertainty_ns: int = 0


@dataclass(frozen=True, eq=False)
class Sent:
    """All requests that were sent, whatever became of them; one without an answer is done at
    NEVER."""

    sent_ns: IntArray
    done_ns: IntArray


@dataclass(frozen=True)
class DatabaseTimes:
    """`limits` of the requests asked for; None where `nobodys` queries of `queries`, by number or
    time more than NOBODYS_SHARE, lie within no request: then nothing can be said of any.
    `queries_each` is how many each request makes, None if that is not one number; `uneven`:
    requests that were alone made different numbers of them."""

    limits: Limits | None
    queries: int
    nobodys: int
    queries_each: int | None
    uneven: bool = False


def database_times(
    sent: Sent, asked: Asked, chosen: IntArray, measures: tuple[Measure, Measure] | None = None
) -> DatabaseTimes:
    """Of the `chosen` requests, indices into `sent`. `measures` say how much of a span counts,
    at least and at most (all of it). ValueError for arrays of unequal length."""
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
    """Requests in the order of their sending, queries in that of their coming."""

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
        # The latest end of all up to each: whoever is under way at an instant stands after the
        # last of which that lies before it.
        self._reached = np.maximum.accumulate(self._done)
        answered = self._done[self._done < NEVER]
        until_ns = answered.max() if len(answered) else 0
        # Others ask too, before and after the load: to see that the service is there.
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
        """How many queries lie within no request, and whether those are too many."""
        if not self.queries:
            return 0, False
        last = np.searchsorted(self._sent, self._arrived + self._error_ns, side="right") - 1
        outside = self._reached[last] + self._error_ns < self._due
        lengths = self._delivered - self._arrived
        number = float(outside.mean())
        time = float(lengths[outside].sum() / max(1, lengths.sum()))
        return int(outside.sum()), max(number, time) > NOBODYS_SHARE

    def counts_alone(self) -> set[int] | None:
        """How many queries they made, of requests that were alone; None where too few were."""
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
        """How many queries a request makes, from those that were alone and from all together."""
        if counts is None or len(counts) > 1:
            return None
        (each,) = counts
        return each if each * len(self._sent) == self.queries else None

    def limits(self, request: int, each: int | None, *, certain: bool) -> tuple[int, int]:
        """The least and the most of one request's time, in ns. Where the service asks for itself
        now and then, none of the queries is `certain` to be the request's."""
        one = int(self._place[request])
        mine = self._within(one)
        if not len(mine) or each == 0:
            return 0, 0
        rivals = self._rivals(one)
        theirs = self._holds(rivals, mine)
        own = ~theirs.any(axis=0) & certain
        if each is None:
            return self._least(one, mine[own]), self._most(one, mine)
        # A rival that has no other choice takes all that it has.
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
        """What of the queries lies within the request's window, widened on both sides."""
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
    """The time in which one of the spans was under way, which are in the order of their starts."""
    starts, ends = spans
    if not len(starts):
        return 0
    reached = np.maximum.accumulate(ends)
    new = np.maximum(starts, np.concatenate((starts[:1], reached[:-1])))
    return int(measure(new, np.maximum(ends, new)).sum())


def asked_of(
    rows: NDArray[np.void], answered: NDArray[np.bool_], queries: Queries, load: LoadEvidence
) -> tuple[Sent, Asked, IntArray]:
    """The requests that went, the queries, both counted from the load's start, and which rows those
    requests are."""
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
    """The least that a percentile of the database's time of one request can be, in the steady part.

    If every request makes k queries, at least a k-th as many requests as queries waited longer than
    any t, and there are k times as many queries: so the percentile of the requests' time is never
    below that of the queries' time at the same share. None without a relay, if requests make
    different numbers of queries, or too few, and if some queries lie within no request.

    That all make the same number is told by those that were alone; if none was, by a number of
    queries that is a whole multiple of that of the requests.
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
