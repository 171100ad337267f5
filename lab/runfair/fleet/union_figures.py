"""The figures of a load that several hosts sent, computed from the requests of all hosts. The load
generator computes the same figures for its own requests (`loadgen/src/judgement`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runfair.formats.load_result import Bracket, ConfidenceInterval, Figures
from runfair.formats.service import SHARES, Percentile
from runfair.statistics.array import IntArray
from runfair.statistics.dependence import effective_count
from runfair.statistics.percentile import least_count, rank, ranks

# The greatest share of a latency that the generators themselves may cause (docs/statistics.md).
MOST_ADDED = 0.05


def figures_of(
    values: IntArray,
    at_ns: IntArray,
    interval_ns: int,
    failed: int = 0,
    withheld: dict[str, str] | None = None,
) -> Figures:
    """The figures of values in nanoseconds, known at these instants. `failed` requests have no
    value. The percentiles in `withheld` are not shown, for the reason given there."""
    if not len(values):
        none = dict.fromkeys(SHARES, "too few requests to compute a value on any of the hosts")
        return Figures(count=0, **_nothing(), intervals={}, withheld={**none}, effective_count={})
    ordered = np.sort(values)
    reasons = dict(withheld or {})
    shown: dict[str, int | None] = dict.fromkeys(SHARES)
    intervals, brackets, effective = {}, {}, {}
    for name, independent in _effective(values, at_ns, interval_ns):
        share = SHARES[name]
        effective[name] = independent
        if name in reasons:
            continue
        if independent < (needed := least_count(share)):
            reasons[name] = f"too few requests ({independent:.0f} independent; {needed} are needed)"
        elif failed:
            brackets[name] = _bracket(ordered, share, failed)
        else:
            shown[name] = int(ordered[rank(share, len(ordered)) - 1])
            intervals[name] = _interval(ordered, share, int(independent))
    return Figures(
        count=len(values),
        min=int(ordered[0]),
        mean=float(values.mean()),
        max=int(ordered[-1]),
        **shown,
        intervals=intervals,
        brackets=brackets,
        withheld=reasons,
        effective_count=effective,
    )


def added_by_generators(latency_ns: IntArray, lag_ns: IntArray) -> dict[str, str]:
    """The percentiles of the latency that are too long because of the generators' own lateness,
    with the reason."""
    if not len(latency_ns):
        return {}
    ordered, punctual = np.sort(latency_ns), np.sort(latency_ns - lag_ns)
    found: dict[str, str] = {}
    for name, share in SHARES.items():
        place = rank(share, len(ordered)) - 1
        whole, added = int(ordered[place]), int(ordered[place] - punctual[place])
        if added > MOST_ADDED * whole:
            found[name] = (
                f"delays in the load generators themselves make up {added / 1e6:.3g} ms of this "
                f"percentile's {whole / 1e6:.3g} ms"
            )
    return found


def _effective(
    values: IntArray, at_ns: IntArray, interval_ns: int
) -> Iterator[tuple[Percentile, float]]:
    stretch = np.unique(at_ns // interval_ns, return_inverse=True)[1]
    cell = np.unique(values, return_inverse=True)[1]
    ones = np.ones(len(values))
    for name, share in SHARES.items():
        yield name, effective_count(stretch, cell, ones, share)


def _interval(ordered: IntArray, share: float, independent: int) -> ConfidenceInterval:
    """The confidence interval of a percentile: two of the values, whose ranks enclose the
    percentile. The ranks are computed for `independent` values (the effective sample size)."""
    enclosing = ranks(share, independent)
    assert enclosing.low is not None
    each = len(ordered) / independent
    low = int((enclosing.low - 1) * each)
    high = enclosing.high
    return ConfidenceInterval(
        low_ns=int(ordered[low]),
        high_ns=None if high is None else int(ordered[min(len(ordered), int(high * each)) - 1]),
    )


def _bracket(ordered: IntArray, share: float, failed: int) -> Bracket:
    """The percentile if the failed requests are the fastest, and if they were never answered."""
    place = rank(share, len(ordered) + failed)
    high = int(ordered[place - 1]) if place <= len(ordered) else None
    return Bracket(
        low_ns=int(ordered[place - failed - 1]) if place > failed else 0,
        high_ns=high,
        high_at_least_ns=int(ordered[-1]) if high is None else high,
    )


def _nothing() -> dict[str, None]:
    return dict.fromkeys(("min", "mean", *SHARES, "max"))
