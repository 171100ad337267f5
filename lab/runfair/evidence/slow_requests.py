"""The slowest requests of one load, as spans of time on the common clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runfair.formats.records_file import Records

SLOWEST = 0.01


@dataclass(frozen=True, eq=False)
class SlowRequests:
    """Requests of at least `from_ns` of latency. `spans` are the times in which one or several of
    them were being answered: beginnings and ends on CLOCK_MONOTONIC, rising and disjoint."""

    requests: int
    from_ns: int
    spans: NDArray[np.int64]

    def count(self, instants_ns: Sequence[int]) -> int:
        """How many of the instants lie in a span."""
        instants = np.asarray(instants_ns, dtype=np.int64)
        at = np.searchsorted(self.spans[:, 0], instants, side="right") - 1
        inside = (at >= 0) & (instants < self.spans[np.maximum(at, 0), 1])
        return int(np.count_nonzero(inside))


def slowest(records: Records, share: float = SLOWEST) -> SlowRequests | None:
    """The slowest `share` of the good requests; None if there are fewer than 1/`share` of them.
    A request's span begins when it was sent: what it waited for before is the generator's."""
    good = records.of_kind("good")
    if len(good) * share < 1:
        return None
    latencies = good["done_ns"].astype(np.int64) - good["intended_ns"].astype(np.int64)
    count = int(len(good) * share)
    chosen = good[np.argsort(latencies, kind="stable")[-count:]]
    base_ns = records.header.start_monotonic_ns
    spans = np.column_stack(
        [base_ns + chosen[name].astype(np.int64) for name in ("sent_ns", "done_ns")]
    )
    return SlowRequests(count, int(np.sort(latencies)[-count]), _joined(spans))


def _joined(spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Overlapping spans as one."""
    found: list[list[int]] = []
    for begin, end in sorted(map(tuple, spans.tolist())):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return np.array(found, dtype=np.int64).reshape(-1, 2)
