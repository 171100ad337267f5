"""The slowest requests of a service, from the records of every single one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runfair.decision.tail import Cause, Tail, tail
from runfair.fairness.load_evidence import LoadEvidence
from runfair.fairness.pause_evidence import PauseEvidence, answered
from runfair.formats.load_records import Records

FloatArray = NDArray[np.float64]


def slowest(
    load: LoadEvidence, pauses: PauseEvidence | None, records: Records, share: float
) -> Tail | None:
    """The tail above the percentile of `share`; None where no request was answered. What a request
    waited for a connection is its `queue`, what of it its runtime stood still its `pause`; its CPU
    and database time are not known of each by itself, and stand among the other waits."""
    rows = answered(load, records)
    if not len(rows):
        return None
    intended, done = rows["intended_ns"].astype(np.int64), rows["done_ns"].astype(np.int64)
    free = rows["free_ns"].astype(np.int64)
    parts: dict[Cause, FloatArray] = {"queue": np.maximum(free - intended, 0).astype(np.float64)}
    if pauses is not None:
        parts["pause"] = _paused(pauses.pauses_ns, intended, done)
    return tail(done - intended, parts, share)


def _paused(
    pauses_ns: NDArray[np.int64], intended: NDArray[np.int64], done: NDArray[np.int64]
) -> FloatArray:
    """How much of each request fell into pauses, which are in order and apart."""
    if not len(pauses_ns):
        return np.zeros(len(intended))
    starts, lengths = pauses_ns[:, 0], pauses_ns[:, 1] - pauses_ns[:, 0]
    before = np.concatenate([[0], np.cumsum(lengths)])

    def paused_until(instants: NDArray[np.int64]) -> NDArray[np.int64]:
        place = np.searchsorted(starts, instants, side="right")
        last = np.maximum(place - 1, 0)
        within = np.minimum(instants - starts[last], lengths[last])
        return np.where(place > 0, before[last] + within, 0)

    return (paused_until(done) - paused_until(intended)).astype(np.float64)
