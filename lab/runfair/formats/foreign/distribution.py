"""Latencies from single values, for the formats that hold every request."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runfair.formats.foreign.result import Latencies, Percentile

SHARES = (0.5, 0.9, 0.99, 0.999, 0.9999)


def latencies_of(values_ns: Sequence[float], step_ns: float) -> Latencies:
    """Nearest-rank percentiles, as far as ten values lie beyond each; empty for no values."""
    if not values_ns:
        return Latencies()
    ordered = sorted(values_ns)
    count = len(ordered)
    return Latencies(
        counted=count,
        min_ns=ordered[0],
        mean_ns=math.fsum(ordered) / count,
        max_ns=ordered[-1],
        percentiles=tuple(
            Percentile(share=share, value_ns=ordered[max(0, math.ceil(share * count) - 1)])
            for share in SHARES
            if share == SHARES[0] or count * (1 - share) >= 10
        ),
        step_ns=step_ns,
    )
