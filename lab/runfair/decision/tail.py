"""The causes of the slowest requests, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runfair.decision.limits import Limits
from runfair.formats.decision import Between, Cause, SlowedBy, SlowRequest, TailAccount
from runfair.statistics.array import BoolArray, FloatArray

FEWEST_REQUESTS = 30
"""The least number of requests in the tail. With fewer requests, a share of the tail is uncertain
by more than ±18 percentage points (binomial distribution, 95%)."""

DOMINATES = 0.5

ROUNDING_NS = 1
"""The rounding error that is tolerated in the sum of scaled parts."""


@dataclass(frozen=True)
class Slow:
    """A request of the tail: the instant at which it was due (from the load's start), the limits of
    each part of its latency in ns, and the cause of its slowness. The cause is the part with the
    greatest excess over its median in all other requests. If the limits do not decide which part
    this is, there are several possible causes."""

    intended_ns: int
    latency_ns: int
    parts_ns: dict[Cause, Between]
    causes: tuple[Cause, ...]


@dataclass(frozen=True)
class Tail:
    """The requests above a percentile: `count` of all `requests` had a latency above
    `threshold_ns`.

    `time_shares` divides the sum of their latencies by cause, with the limits of each cause's
    share. `usual_shares` does the same for the other requests, for comparison. `slowed` is, for
    each cause, the share of the tail that it certainly made slow. `undecided` is the share for
    which several causes are possible. Together these shares are 1. `dominant` is the cause that
    made at least half of the tail slow. The dominant cause is None if no cause certainly did so, or
    if `reason` says why nothing can be stated. If no request lies above the percentile, the shares
    of the tail are 0.

    `slowest` are the requests themselves, the slowest first. CPU time and run queue come from
    samples `sampling_interval_ns` apart (None: unknown). If there is a relay but the database time
    of single requests is unknown, `doubt` says why; otherwise it is empty.
    """

    count: int
    requests: int
    threshold_ns: float
    time_shares: dict[Cause, Between]
    usual_shares: dict[Cause, Between]
    slowed: dict[Cause, float]
    undecided: dict[tuple[Cause, ...], float]
    dominant: Cause | None
    reason: str = ""
    slowest: tuple[Slow, ...] = ()
    sampling_interval_ns: int | None = None
    clock_uncertainty_ns: int = 0
    doubt: str = ""


def tail(
    latency_ns: npt.ArrayLike,
    parts_ns: Mapping[Cause, npt.ArrayLike | Limits],
    threshold_ns: float,
    requests: int | None = None,
    intended_ns: npt.ArrayLike | None = None,
) -> Tail:
    """The tail above a threshold, computed from each request's latency and its parts.

    `latency_ns` and each part have the same shape. The arrays contain the whole tail, and all or a
    sample of the other requests. `requests` is the number of all requests. If a cause was not
    measured, it is left out, and its time counts as other waits. If the lower limits of a request's
    parts exceed its latency, they are scaled down to the latency. Raises ValueError if lengths are
    unequal, a latency is not positive, a part is negative, or there are no requests.
    """
    latency = np.asarray(latency_ns, dtype=np.float64)
    causes, least, most = _times(latency, parts_ns)
    slow = latency > threshold_ns
    count = int(slow.sum())
    leading = _leading(latency, least, most, slow)
    decided = leading.sum(axis=0) == 1
    slowed = dict.fromkeys(causes, 0.0)
    undecided: dict[tuple[Cause, ...], float] = {}
    for column, certain in zip(leading.T, decided, strict=True):
        among = _named(causes, column)
        if certain:
            slowed[among[0]] += 1 / count
        else:
            undecided[among] = undecided.get(among, 0.0) + 1 / count
    first = max(causes, key=lambda cause: slowed[cause])
    reason = ""
    if count < FEWEST_REQUESTS:
        reason = (
            f"the causes of slow requests are unknown, because only {count} requests are slower "
            f"than the objective's percentile, and {FEWEST_REQUESTS} are needed"
        )
    places = np.flatnonzero(slow)
    intended = np.zeros(latency.size) if intended_ns is None else np.asarray(intended_ns)
    slowest = [
        Slow(
            intended_ns=int(intended[place]),
            latency_ns=round(float(latency[place])),
            parts_ns=_parts(causes, least[:, place], most[:, place]),
            causes=_named(causes, leading[:, column]),
        )
        for column, place in enumerate(places)
    ]
    return Tail(
        count=count,
        requests=latency.size if requests is None else requests,
        threshold_ns=threshold_ns,
        time_shares=_shares(causes, least[:, slow], most[:, slow], latency[slow]),
        usual_shares=_shares(causes, least[:, ~slow], most[:, ~slow], latency[~slow]),
        slowed=slowed,
        undecided=undecided,
        dominant=first if not reason and slowed[first] >= DOMINATES else None,
        reason=reason,
        slowest=tuple(sorted(slowest, key=lambda one: -one.latency_ns)),
    )


def _leading(
    latency: FloatArray, least: FloatArray, most: FloatArray, slow: BoolArray
) -> BoolArray:
    """Whether the excess of a cause over its usual time can be the greatest; an array of shape
    (causes, slow requests). Such a cause meets two conditions. The upper limit of its excess is at
    least the lower limit of every other cause's excess. All causes together can explain the
    request's excess even if no cause exceeds this upper limit."""
    if not slow.any():
        return np.zeros((len(least), 0), dtype=np.bool_)
    usual_most, usual_least = (np.median(one[:, ~slow], axis=1)[:, None] for one in (most, least))
    fewest, furthest = least[:, slow] - usual_most, most[:, slow] - usual_least
    beyond = latency[slow] - usual_most.sum()
    together = np.array([np.minimum(furthest, one).sum(axis=0) for one in furthest])
    enough = together + ROUNDING_NS >= beyond
    # Of equal causes only the first is used.
    leading: BoolArray = (furthest > fewest.max(axis=0) + ROUNDING_NS) & enough
    first, columns = np.argmax(fewest, axis=0), np.arange(fewest.shape[1])
    leading[first, columns] |= enough[first, columns] | ~leading.any(axis=0)
    return leading


def _times(
    latency: FloatArray, parts_ns: Mapping[Cause, npt.ArrayLike | Limits]
) -> tuple[list[Cause], FloatArray, FloatArray]:
    """The causes, and the lower and upper limits of their times, as arrays of shape (causes,
    requests). The lower limit of the remainder is the latency minus all upper limits. The upper
    limit of the remainder is the latency minus all lower limits."""
    if latency.ndim != 1 or latency.size == 0 or not (latency > 0).all():
        raise ValueError("the latencies must be a non-empty array of positive values")
    measured = {
        cause: part if isinstance(part, Limits) else Limits.exactly(part)
        for cause, part in parts_ns.items()
    }
    if any(part.least_ns.shape != latency.shape for part in measured.values()):
        raise ValueError("each part of the latency needs an array with one value for each request")
    waits = measured.pop("other waits", Limits.exactly(np.zeros_like(latency)))
    causes: list[Cause] = [*measured, "other waits"]
    least = np.stack([*(part.least_ns for part in measured.values()), waits.least_ns])
    most = np.stack([*(part.most_ns for part in measured.values()), waits.most_ns])
    scale = np.minimum(1.0, latency / np.maximum(least.sum(axis=0), latency))
    least, most = least * scale, most * scale
    # The upper limit of a part is at most the latency minus the lower limits of the other parts.
    most = np.minimum(most, latency - (least.sum(axis=0) - least))
    least[-1] = np.maximum(least[-1], latency - most[:-1].sum(axis=0))
    most[-1] = np.maximum(latency - least[:-1].sum(axis=0), least[-1])
    return causes, least, np.maximum(most, least)


def _named(causes: Sequence[Cause], chosen: BoolArray) -> tuple[Cause, ...]:
    return tuple(cause for cause, one in zip(causes, chosen, strict=True) if one)


def _parts(causes: Sequence[Cause], least: FloatArray, most: FloatArray) -> dict[Cause, Between]:
    return {
        cause: (float(low), float(high))
        for cause, low, high in zip(causes, least, most, strict=True)
    }


def _shares(
    causes: Sequence[Cause], least: FloatArray, most: FloatArray, latency: FloatArray
) -> dict[Cause, Between]:
    whole = max(float(latency.sum()), 1e-300)
    return _parts(causes, least.sum(axis=1) / whole, most.sum(axis=1) / whole)


MOST_TOLD = 100
"""The number of slowest requests in the JSON form. The other slow requests are in the records."""

FEW = 5
"""The number of slowest requests that are printed."""

# A part below half of this share is not shown, because latencies are printed with three digits.
_SHOWN_SHARE = 0.005


def tail_account(tail: Tail) -> TailAccount:
    """The tail in the form of the answer's JSON."""
    return TailAccount(
        count=tail.count,
        requests=tail.requests,
        threshold_ns=tail.threshold_ns,
        time_shares=tail.time_shares,
        usual_shares=tail.usual_shares,
        slowed=[SlowedBy(causes=list(causes), share=share) for causes, share in _slowed(tail)],
        resolution_ns=tail.sampling_interval_ns,
        clock_uncertainty_ns=tail.clock_uncertainty_ns,
        doubts=[one for one in (tail.reason, tail.doubt) if one],
        slowest=[
            SlowRequest(
                intended_ns=one.intended_ns,
                latency_ns=one.latency_ns,
                parts_ns=one.parts_ns,
                slow_by=list(one.causes),
            )
            for one in tail.slowest[:MOST_TOLD]
        ],
    )


def tail_words(found: TailAccount) -> list[str]:
    """Lines of text: first the causes of the tail, then its slowest requests one by one."""
    if not found.count:
        return []
    shares = " · ".join(
        f"{one.share:.0%} because of {alternatives(one.causes)}" for one in found.slowed
    )
    lines = [f"causes of the slowest {found.count:,} requests: {shares}"]
    if found.clock_uncertainty_ns:
        lines[0] += (
            " (the times come from the clocks of two hosts, and the offset between these "
            f"clocks is known only to ±{found.clock_uncertainty_ns / 1e6:.3g} ms)"
        )
    if found.resolution_ns is not None:
        lines[0] += (
            " (CPU time and waits for a processor were read only every "
            f"{found.resolution_ns / 1e6:.0f} ms, so they are uncertain for a single request)"
        )
    for one in found.slowest[:FEW]:
        parts = " · ".join(
            f"{cause} {between_ms(limits)}" for cause, limits in told_parts(one).items()
        )
        lines.append(
            f"  the request that was due at {one.intended_ns / 1e9:.3f} s took "
            f"{one.latency_ns / 1e6:,.2f} ms, because of {alternatives(one.slow_by)}: {parts}"
        )
    return lines


def told_parts(one: SlowRequest) -> dict[Cause, Between]:
    """The parts of a request that are a visible share of its latency."""
    least_told_ns = _SHOWN_SHARE * one.latency_ns
    return {cause: both for cause, both in one.parts_ns.items() if both[1] > least_told_ns}


def alternatives(causes: Sequence[Cause]) -> str:
    """The possible causes as text, for example `own CPU, run queue or other waits`."""
    *others, last = causes
    return f"{', '.join(others)} or {last}" if others else last


def between_ms(limits: Between) -> str:
    """Limits in milliseconds as text, for example `1.20 to 3.40`; a single number if both limits
    have the same text."""
    low, high = (f"{one / 1e6:,.2f}" for one in limits)
    return low if low == high else f"{low} to {high}"


def _slowed(tail: Tail) -> list[tuple[tuple[Cause, ...], float]]:
    certain = [((cause,), share) for cause, share in tail.slowed.items() if share]
    return sorted([*certain, *tail.undecided.items()], key=lambda one: -one[1])
