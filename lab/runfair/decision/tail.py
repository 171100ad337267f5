"""The slowest requests looked at one by one: what made each of them slow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.statistics.percentile import rank

Cause = Literal["own CPU", "run queue", "database", "pause", "queue", "other waits"]
"""`pause`: the runtime stood still, collecting or compiling. `queue`: the request waited for a
free connection or for those before it. `other waits`: what of a latency nothing accounts for."""

FEWEST_REQUESTS = 30
"""Below this a share of the tail is known to no better than ±18 points (binomial, 95%)."""

DOMINATES = 0.5


@dataclass(frozen=True)
class Tail:
    """The requests above a percentile, `count` of `requests`, whose latency exceeds
    `threshold_ns`.

    `time_shares` divides their whole latency by cause and sums to 1; `usual_shares` does so for all
    other requests, to compare. `slowed` is the share of them that each cause made slow: the cause
    that took most beyond its median over all other requests. `dominant` made at least half of them
    slow; None where no cause did, or where `reason` says why nothing can be stated. Without a
    request above the percentile the shares of the tail are 0.
    """

    count: int
    requests: int
    threshold_ns: float
    time_shares: dict[Cause, float]
    usual_shares: dict[Cause, float]
    slowed: dict[Cause, float]
    dominant: Cause | None
    reason: str = ""


def tail(
    latency_ns: npt.ArrayLike, parts_ns: Mapping[Cause, npt.ArrayLike], share: float = 0.99
) -> Tail:
    """The tail above the percentile of `share`, from one value a request.

    `latency_ns` has shape (requests,), each part of it the same; a cause that was not measured is
    left out, and its time then stands among the other waits. Where a request's parts exceed its
    latency, as a pause during a query does, they are scaled down to it. Raises ValueError for
    unequal lengths, latencies that are not positive, negative parts, or no requests.
    """
    latency = np.asarray(latency_ns, dtype=np.float64)
    causes, times = _times(latency, parts_ns)
    threshold = float(np.sort(latency)[rank(share, latency.size) - 1])
    slow = latency > threshold
    count = int(slow.sum())
    excess = times[:, slow] - np.median(times[:, ~slow], axis=1)[:, None]
    counts = np.bincount(np.argmax(excess, axis=0), minlength=len(causes))
    slowed = dict(zip(causes, (counts / max(count, 1)).tolist(), strict=True))
    leading = max(causes, key=lambda cause: slowed[cause])
    reason = ""
    if count < FEWEST_REQUESTS:
        reason = f"too few requests in the tail: {count}, {FEWEST_REQUESTS} are needed"
    return Tail(
        count=count,
        requests=latency.size,
        threshold_ns=threshold,
        time_shares=_shares(causes, times[:, slow]),
        usual_shares=_shares(causes, times[:, ~slow]),
        slowed=slowed,
        dominant=leading if not reason and slowed[leading] >= DOMINATES else None,
        reason=reason,
    )


def _times(
    latency: npt.NDArray[np.float64], parts_ns: Mapping[Cause, npt.ArrayLike]
) -> tuple[list[Cause], npt.NDArray[np.float64]]:
    """The causes and their times, (causes, requests), which sum to each request's latency."""
    if latency.ndim != 1 or latency.size == 0 or not (latency > 0).all():
        raise ValueError("latencies must be one non-empty row of positive values")
    measured: dict[Cause, npt.NDArray[np.float64]] = {
        cause: np.asarray(part, dtype=np.float64) for cause, part in parts_ns.items()
    }
    if any(part.shape != latency.shape or not (part >= 0).all() for part in measured.values()):
        raise ValueError("each part has one value a request, and none is negative")
    waits = measured.pop("other waits", np.zeros_like(latency))
    seen = np.sum(list(measured.values()), axis=0) + waits
    scale = np.minimum(1.0, latency / np.maximum(seen, latency))
    causes: list[Cause] = [*measured, "other waits"]
    rows = [part * scale for part in measured.values()]
    rest = np.maximum(latency - np.sum(rows, axis=0), 0.0)
    return causes, np.stack([*rows, rest])


def _shares(causes: list[Cause], times: npt.NDArray[np.float64]) -> dict[Cause, float]:
    sums = times.sum(axis=1)
    return dict(zip(causes, (sums / max(sums.sum(), 1e-300)).tolist(), strict=True))
