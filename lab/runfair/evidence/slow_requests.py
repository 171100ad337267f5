"""The slowest requests of one load, as spans of time on the lab's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runfair.formats.records_file import Records

SLOWEST = 0.01


@dataclass(frozen=True, eq=False)
class SlowRequests:
    """The requests with a latency of at least `from_ns`. `spans` are the times during which at
    least one of these requests was being answered: disjoint pairs of begin and end on
    CLOCK_MONOTONIC, in rising order."""

    requests: int
    from_ns: int
    spans: NDArray[np.int64]

    def count(self, instants_ns: Sequence[int]) -> int:
        """The number of instants that lie in one of the spans."""
        instants = np.asarray(instants_ns, dtype=np.int64)
        at = np.searchsorted(self.spans[:, 0], instants, side="right") - 1
        inside = (at >= 0) & (instants < self.spans[np.maximum(at, 0), 1])
        return int(np.count_nonzero(inside))


def slowest(records: Records, share: float = SLOWEST) -> SlowRequests | None:
    """The slowest `share` of the good requests; None if there are fewer than 1/`share` good
    requests. The span of a request begins when the request was sent, because earlier waits happened
    in the generator."""
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
    """The spans, with overlapping spans joined into one."""
    found: list[list[int]] = []
    for begin, end in sorted(map(tuple, spans.tolist())):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return np.array(found, dtype=np.int64).reshape(-1, 2)
