"""What the relay added to queries, from the instants that it wrote of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from runfair.evidence.costs import RelayEvidence, added_ns
from simulated.requests import MILLISECOND, frozen
from simulated.service_load import Load, Relayed

NAMES = ("arrived_ns", "forwarded_ns", "answered_ns", "delivered_ns", "connection")


def queries(*rows: Sequence[int]) -> npt.NDArray[np.void]:
    return np.array([tuple(row) for row in rows], dtype=[(name, "u8") for name in NAMES])


def test_what_came_beyond_the_round_trip_was_the_relays() -> None:
    """The database's own 300 µs are not, and neither is the opening of a connection."""
    half = MILLISECOND // 2
    rows = queries(
        (0, 3 * half, 3 * half + 300_000, 4 * half + 300_000, 1),
        (0, half, half + 300_000, 2 * half + 300_000, 1),
        (0, half + 40_000, half + 340_000, 2 * half + 340_000 + 2_000, 1),
        (0, 5 * half, 6 * half, 7 * half, 2),
        (9, 9 + half - 5, 10 + half, 10 + 2 * half, 2),
    )
    found = added_ns(rows, MILLISECOND)
    assert np.isnan(found[[0, 3]]).all()
    assert found[[1, 2, 4]].tolist() == [0, 42_000, 0]


def test_a_percentile_needs_queries_enough() -> None:
    intended = np.arange(400, dtype=np.int64) * MILLISECOND
    load = Load(frozen(intended, np.full(400, MILLISECOND)), 1000.0, relayed=Relayed(intended))
    report = load.relay_report
    assert report is not None
    added = np.arange(1, 401, dtype=np.float64)
    added[:10] = np.nan
    found = RelayEvidence.of(added, 2.0, report)
    # 390 are left, of which p99 needs 368 and p99.9 3,688.
    assert (found.added_ns["p50"], found.added_ns["p99"]) == (205, 397)
    assert found.added_ns["p99_9"] is None
    assert (found.queries, found.cpu_per_query_ns) == (2.0, 30_000)
