"""What a load at another rate than the operating point's shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from runfair.formats.finding import VerdictState
from runfair.formats.load_result import LoadResult, Percentile
from runfair.statistics.objective import serves


@dataclass(frozen=True, eq=False)
class Probe:
    """`percentiles` are of the whole of it; it is `served` where the rate was achieved, of which it
    answered at `achieved_share`, and hardly a request failed."""

    rate_per_s: float
    served: bool
    percentiles: dict[str, int | None]
    verdict: VerdictState
    achieved_share: float = 1.0


def probe(rate_per_s: float, result: LoadResult) -> Probe:
    """The evidence of one such load."""
    figures = result.latency_ns
    names: tuple[Percentile, ...] = get_args(Percentile)
    told: dict[str, int | None] = {name: figures.percentile(name) for name in names}
    failed = result.requests.failed / max(1, result.requests.scheduled)
    ratio = result.rate.ratio
    return Probe(rate_per_s, serves(ratio, failed), told, result.verdict.state, ratio or 0.0)
