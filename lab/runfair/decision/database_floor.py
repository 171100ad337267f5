"""The least that a percentile of the database's time of one request can be, whosever each query is.

Where every request makes k queries, at least a k-th as many requests as queries waited longer than
any t, and there are k times as many queries: so the percentile of the requests' time is never below
that of the queries' time at the same share.
"""

from __future__ import annotations

import numpy as np

from runfair.decision.database_time import IntArray, database_times
from runfair.decision.slowest import answered_rows, asked_of
from runfair.evidence.load import LoadEvidence
from runfair.evidence.reading import Traces
from runfair.statistics.percentile import least_count, rank

NONE_CHOSEN: IntArray = np.empty(0, dtype=np.int64)


def least_percentile_ns(load: LoadEvidence, traces: Traces, share: float) -> float | None:
    """Of the steady part. None without a relay, where requests make different numbers of queries,
    or too few, and where some queries lie within no request.

    That all make the same number is told by those that were alone; where none was, by a number of
    queries that is a whole multiple of that of the requests.
    """
    if traces.queries is None:
        return None
    rows = traces.records.rows
    began_ns = load.result.started.monotonic_ns
    sent, asked, _ = asked_of(rows, answered_rows(traces.records), traces.queries, began_ns)
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
