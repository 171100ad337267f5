"""The course of a service's tail during its load, over all its executions together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from runfair.evidence.load import LoadEvidence
from runfair.formats.histogram import Histogram
from runfair.formats.service import SHARES, Objective, Percentile
from runfair.statistics.steady_state import CHANGING_TAIL
from runfair.statistics.tail_change import (
    BLOCKS,
    SHORTEST,
    TailChange,
    differs,
    exceedances,
    tail_change,
)

UNASKED: Percentile = "p99"
"""The percentile that is examined if no objective was stated."""


@dataclass(frozen=True)
class TailCourse:
    """The time from which a service's tail is steady: `from_ns` after the load's start. The instant
    `from_ns` is 0 if the tail never changed, or if this is unknown. `changing` says whether the
    tail still fell or rose in the last quarter of the load. `percentile` is the percentile whose
    exceedances were counted."""

    from_ns: int = 0
    changing: Literal["falls", "rises"] | None = None
    percentile: Percentile = UNASKED


SETTLED = TailCourse()


def tail_course(loads: Sequence[LoadEvidence], asked: Objective | None) -> TailCourse:
    """The course of a tail. The tail is examined from the instant at which the medians of all loads
    are steady. Loads that never become steady are left out. After each change, the remaining part
    is examined again, with new fixed latencies."""
    percentile = UNASKED if asked is None else asked.percentile
    settled = [one for one in loads if one.steady.start is not None and one.latency.total]
    if not settled:
        return TailCourse(percentile=percentile)
    load_ns = max(int(one.windows.end_ns[-1]) for one in settled)
    first = int(np.ceil(max(one.steady_from_ns for one in settled) * BLOCKS / load_ns))
    from_ns = 0
    while BLOCKS - first >= 2 * SHORTEST:
        parts = [one.blocks[first:] for one in settled]
        if not all(any(len(block.counts) for block in part) for part in parts):
            break
        tables = [_exceedances(part, SHARES[percentile]) for part in parts]
        change = tail_change([above for above, _ in tables], [held for _, held in tables])
        if change is None or not _matters(parts, change, SHARES[percentile]):
            break
        first += change.block
        if first > (1 - CHANGING_TAIL) * BLOCKS:
            return TailCourse(from_ns, "falls" if change.falls else "rises", percentile)
        from_ns = first * load_ns // BLOCKS
    return TailCourse(from_ns, None, percentile)


def _matters(parts: Sequence[Sequence[Histogram]], change: TailChange, share: float) -> bool:
    sides = [
        (
            Histogram.merged(blocks[: change.block]).value_at(share),
            Histogram.merged(blocks[change.block :]).value_at(share),
        )
        for blocks in parts
    ]
    known = [(before, after) for before, after in sides if before and after]
    return differs([before for before, _ in known], [after for _, after in known])


def _exceedances(blocks: Sequence[Histogram], share: float) -> tuple[list[float], list[float]]:
    place = np.repeat(np.arange(len(blocks)), [len(one.counts) for one in blocks])
    value = np.concatenate([one.least for one in blocks])
    above, held = exceedances(place, value, np.concatenate([one.counts for one in blocks]), share)
    # If the last blocks have no answers, they have no entry.
    missing = [0.0] * (len(blocks) - len(above))
    return [*above, *missing], [*held, *missing]
