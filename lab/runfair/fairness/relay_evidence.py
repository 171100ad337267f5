"""What the relay itself added to the queries of a load, beyond the declared round trip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runfair.formats.relay_report import RelayReport
from runfair.formats.service import SHARES, Percentile
from runfair.statistics.percentile import least_count, rank


@dataclass(frozen=True, eq=False)
class RelayEvidence:
    """Of the steady part: `queries` a request, and what was added to each, in ns; a percentile is
    None where there are too few for it. `cpu_per_query_ns` is of the relay's whole life.
    `unparsed`: connections that could not be read as declared, by the reason."""

    queries: float
    added_ns: Mapping[Percentile, int | None]
    cpu_per_query_ns: float | None
    unparsed: Mapping[str, int]

    @classmethod
    def of(
        cls, added_ns: npt.NDArray[np.float64], queries: float, report: RelayReport
    ) -> RelayEvidence:
        """`added_ns` has one entry a query, NaN where that is not known."""
        known = np.sort(added_ns[~np.isnan(added_ns)])
        cost, answered = report.cost, report.queries.answered
        return cls(
            queries=queries,
            added_ns={
                name: int(known[rank(share, len(known)) - 1])
                if len(known) >= least_count(share)
                else None
                for name, share in SHARES.items()
            },
            cpu_per_query_ns=(cost.cpu_user_ns + cost.cpu_system_ns) / answered
            if answered
            else None,
            unparsed=report.unparsed_streams,
        )


def added_ns(rows: npt.NDArray[np.void], declared_ns: int) -> npt.NDArray[np.float64]:
    """What the relay took of each answered query (`formats/relay_queries.py`) beyond the declared
    round trip, (queries,). The first of a connection waits for its opening as well: NaN."""
    there, back = (
        rows[end].astype(np.int64) - rows[start].astype(np.int64)
        for start, end in (("arrived_ns", "forwarded_ns"), ("answered_ns", "delivered_ns"))
    )
    added: npt.NDArray[np.float64] = np.maximum(there + back - declared_ns, 0).astype(np.float64)
    _, first = np.unique(rows["connection"], return_index=True)
    added[first] = np.nan
    return added
