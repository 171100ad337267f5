"""Executions under the bytecode probe, with the slowest requests of a service's load. The times of
these executions are not used for figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runfair.formats.execution import Execution
from runfair.formats.probe import ProbedExecution
from runfair.formats.records_file import Records

SLOWEST = 0.01


@dataclass(frozen=True, eq=False)
class SlowRequests:
    """The slowest requests of one load, with a latency of at least `from_ns`. `spans` are the times
    during which at least one of these requests was being answered: disjoint pairs of begin and end
    on CLOCK_MONOTONIC, the lab's clock, in rising order."""

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


@dataclass(frozen=True, eq=False)
class ProbedEvidence:
    """The evidence of an execution under the bytecode probe. `slow` has the slowest requests of a
    service's load under the probe."""

    record: Execution
    probed: ProbedExecution
    slow: SlowRequests | None = None


Probes = Callable[[Execution], ProbedEvidence | None]


def probed_of(
    records: Sequence[Execution], probes: Probes
) -> tuple[tuple[ProbedEvidence, ...], str]:
    """The probed executions of a cell, and the reason of failure if an execution under the probe
    failed."""
    watched = [one for one in records if one.role == "probe"]
    completed = [one for one in watched if one.outcome.state == "completed"]
    failed = [one for one in watched if one not in completed]
    found = tuple(left for one in completed if (left := probes(one)) is not None)
    return found, failed[0].outcome.reason if failed else ""
