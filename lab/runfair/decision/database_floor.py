"""Lower limits of the database time, for a percentile and for the mean of all requests."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from runfair.decision.database_time import (
    STAMP_ERROR_NS,
    Asked,
    DatabaseTimes,
    asked_of,
    column_ns,
    database_times,
    united,
    whole,
)
from runfair.evidence.load import LoadEvidence, answered_rows
from runfair.evidence.reading import Traces
from runfair.statistics.array import BoolArray, IntArray
from runfair.statistics.percentile import least_count, rank

SAMPLED = 1_000
"""The number of requests whose own database times are computed for a mean."""

SEED = 20_261
"""The sample is random, because traffic from a file may repeat. The seed makes it repeatable."""

DEVIATIONS = 1.96
"""The distance of a mean from the lower end of its 95% confidence interval, in standard errors."""

NONE_CHOSEN: IntArray = np.empty(0, dtype=np.int64)


def least_percentile_ns(load: LoadEvidence, traces: Traces, share: float) -> float | None:
    """A lower limit of a percentile of the requests' database time, in the steady part.

    Suppose that every request makes k queries, so there are k times as many queries as requests. If
    n queries took longer than a time t, at least n/k requests did. The percentile of the requests'
    database time is therefore at least the same percentile of the queries' time. The result is None
    if there is no relay, if requests make different numbers of queries or too few, or if some
    queries lie within no request.

    Requests that were alone show whether all requests make the same number of queries. If no
    request was alone, the number of queries must be a whole multiple of the number of requests.
    """
    if traces.queries is None:
        return None
    rows = traces.records.rows
    sent, asked, _ = asked_of(rows, answered_rows(traces.records), traces.queries, load)
    found = database_times(sent, asked, NONE_CHOSEN)
    if not _is_even(found, len(sent.sent_ns)):
        return None
    steady = _steady(asked, load)
    took_ns = np.sort((asked.due_ns - asked.arrived_ns)[steady])
    if len(took_ns) < least_count(share):
        return None
    return float(took_ns[rank(share, len(took_ns)) - 1])


def _is_even(found: DatabaseTimes, requests: int) -> bool:
    """Whether every request made the same number of queries, as far as can be known."""
    evenly = requests > 0 and found.queries >= requests and found.queries % requests == 0
    return not found.nobodys and not found.uneven and bool(found.queries_each or evenly)


def _steady(asked: Asked, load: LoadEvidence) -> BoolArray:
    return (asked.arrived_ns >= load.steady_from_ns) & (asked.arrived_ns < load.result.elapsed_ns)


def least_mean_ns(load: LoadEvidence, traces: Traces) -> float | None:
    """A lower limit of the mean database time of the steady part's requests; None without a relay.

    The mean covers the answered requests, like the mean latency. The database time of a request is
    at most the sum of its queries' times, because a request may make several queries at the same
    time. Three lower limits are valid, and the greatest is used:

    - the time during which any query was under way, divided by the number of requests. Queries that
      came while a failed request waited are left out, because they may belong to this request;
    - the mean of the requests' own lower limits: the lower end of its confidence interval, from a
      random sample of the requests;
    - if every request makes the same number of queries and none failed, the mean time of a query: a
      request waits at least for its longest query, which takes at least as long as its mean query.

    If too many queries belong to no request, the limit is 0.
    """
    if traces.queries is None:
        return None
    rows, answered = traces.records.rows, answered_rows(traces.records)
    sent, asked, went = asked_of(rows, answered, traces.queries, load)
    due = column_ns(rows, "intended_ns")[went] >= load.steady_from_ns
    candidates = np.flatnonzero(due & answered[went])
    chosen = np.random.default_rng(SEED).permutation(candidates)[:SAMPLED]
    found = database_times(sent, asked, chosen)
    if found.limits is None or not len(candidates):
        return 0.0
    steady = _steady(asked, load)
    if not steady.any():
        return 0.0
    failed = rows[went][~answered[went]]
    theirs = steady & ~_while_waited(asked, failed)
    order = np.argsort(asked.arrived_ns[theirs], kind="stable")
    spans = asked.arrived_ns[theirs][order], asked.due_ns[theirs][order]
    known = [
        united(spans, whole) / len(candidates),
        _least_mean(found.limits.least_ns, len(candidates)),
    ]
    if not len(failed) and _is_even(found, len(sent.sent_ns)):
        known.append(float((spans[1] - spans[0]).mean()))
    return float(max(known))


def _while_waited(asked: Asked, failed: NDArray[np.void]) -> BoolArray:
    """Whether each query came while one of these requests waited for its answer."""
    error_ns = STAMP_ERROR_NS + asked.uncertainty_ns
    begun = np.searchsorted(np.sort(column_ns(failed, "sent_ns")), asked.arrived_ns + error_ns)
    ended = np.searchsorted(np.sort(column_ns(failed, "done_ns")), asked.arrived_ns - error_ns)
    waited: BoolArray = begun > ended
    return waited


def _least_mean(sample: npt.NDArray[np.float64], of: int) -> float:
    """The lower end of the confidence interval of the mean of `of` values, from a random sample of
    these values."""
    count = len(sample)
    if count == of:
        return float(sample.mean())
    error = sample.std(ddof=1) * sqrt((1 - count / of) / count)
    return float(sample.mean() - DEVIATIONS * error)
