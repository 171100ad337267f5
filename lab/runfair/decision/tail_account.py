"""The slowest requests in plain words, and as the answer's JSON has them."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.decision.tail import Tail
from runfair.formats.decision import Between, Cause, SlowedBy, SlowRequest, TailAccount

MOST_TOLD = 100
"""In JSON, of the slowest: a tail of thousands is looked at in the records."""

FEW = 5
"""In print."""

# Below half of this a part is not shown: three digits of a latency are told.
_SHOWN_SHARE = 0.005


def tail_account(tail: Tail) -> TailAccount:
    return TailAccount(
        count=tail.count,
        requests=tail.requests,
        threshold_ns=tail.threshold_ns,
        time_shares=tail.time_shares,
        usual_shares=tail.usual_shares,
        slowed=[SlowedBy(causes=list(causes), share=share) for causes, share in _slowed(tail)],
        resolution_ns=tail.resolution_ns,
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
    """What made the tail slow, then its slowest requests one by one."""
    if not found.count:
        return []
    shares = " · ".join(f"{one.share:.0%} by {alternatives(one.causes)}" for one in found.slowed)
    lines = [f"its slowest {found.count:,} requests are slow: {shares}"]
    if found.resolution_ns is not None:
        lines[0] += f" (CPU and run queue from looks {found.resolution_ns / 1e6:.0f} ms apart)"
    for one in found.slowest[:FEW]:
        parts = " · ".join(
            f"{cause} {between_ms(limits)}" for cause, limits in told_parts(one).items()
        )
        lines.append(
            f"  at {one.intended_ns / 1e9:.3f} s  {one.latency_ns / 1e6:,.2f} ms, slow by "
            f"{alternatives(one.slow_by)}: {parts}"
        )
    return lines


def told_parts(one: SlowRequest) -> dict[Cause, Between]:
    """Those that matter to its latency."""
    least_told_ns = _SHOWN_SHARE * one.latency_ns
    return {cause: both for cause, both in one.parts_ns.items() if both[1] > least_told_ns}


def alternatives(causes: Sequence[Cause]) -> str:
    """`own CPU, run queue or other waits`."""
    *others, last = causes
    return f"{', '.join(others)} or {last}" if others else last


def between_ms(limits: Between) -> str:
    """`1.20 to 3.40`; one number where they are one as shown."""
    low, high = (f"{one / 1e6:,.2f}" for one in limits)
    return low if low == high else f"{low} to {high}"


def _slowed(tail: Tail) -> list[tuple[tuple[Cause, ...], float]]:
    certain = [((cause,), share) for cause, share in tail.slowed.items() if share]
    return sorted([*certain, *tail.undecided.items()], key=lambda one: -one[1])
