"""The evidence of a service at its peak: what the service, its database and the load generator
used over the steady part of an execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from runfair.evidence.cell import ExecutionEvidence
from runfair.formats.peak import REQUESTS


@dataclass(frozen=True)
class PeakEvidence:
    """The steady part of a peak. Costs are per request; they are None if there is no private
    database. Shares are parts of the time of all processors that a side may use, between 0 and 1.
    If database and load generator share processors, `beside_share` is the share of both together;
    otherwise it equals `database_share`. `paused_share` and `collecting_share` are the shares of
    the time in which the runtime stopped the program, and in which it collected garbage; they are
    None if the runtime reports no events.
    """

    rate_per_s: float
    switches: float
    server_share: float
    database_cpu_ns: float | None = None
    database_share: float | None = None
    beside_share: float | None = None
    paused_share: float | None = None
    collecting_share: float | None = None

    @property
    def shared(self) -> bool:
        """Whether the database shares processors with the load generator."""
        return self.beside_share != self.database_share


def peak_evidence(one: ExecutionEvidence) -> PeakEvidence | None:
    """The evidence of a completed execution at a peak; None for all other executions."""
    record = one.record.peak
    if record is None or not one.completed or not record.answered:
        return None
    part = one.steady_part
    answered = np.asarray(record.answered, dtype=np.float64)[part]
    time_ns = float(np.sum(record.window_ns[part]))
    requests = float(answered.sum())
    cpu_ns = float((one.cpu_ns[part] * answered).sum()) / REQUESTS
    found = PeakEvidence(
        rate_per_s=requests / time_ns * 1e9,
        switches=float(np.sum(record.switches[part])) / requests,
        server_share=cpu_ns / (time_ns * max(1, len(one.record.processors))),
        paused_share=_share(record.paused_ns[part], time_ns),
        collecting_share=_share(record.collecting_ns[part], time_ns),
    )
    if not record.database_cpu_ns:
        return found
    database_ns = float(np.sum(record.database_cpu_ns[part]))
    processors = max(1, len(record.database_processors))
    share = beside = database_ns / (time_ns * processors)
    if set(record.database_processors) & set(record.generator_processors):
        beside += _generator_share(one) * len(record.generator_processors) / processors
    return replace(
        found,
        database_cpu_ns=database_ns / requests,
        database_share=share,
        beside_share=beside,
    )


def _share(parts_ns: Sequence[int], time_ns: float) -> float | None:
    return sum(parts_ns) / time_ns if parts_ns else None


def _generator_share(one: ExecutionEvidence) -> float:
    return max((load.generator_share for load in one.record.driven), default=0.0)
