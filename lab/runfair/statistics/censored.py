"""A percentile where some requests failed: between what counting them fastest and slowest gives.

Who failed had no latency, but is no reason to leave it out: a service that refuses its slowest
requests would look faster. Counted among the fastest, they move the percentile down the good
answers' order; counted as never answered, they move it up, and beyond the last good answer where
they are more than the tail. The truth lies between (interval censoring; Helsel, *Statistics for
Censored Environmental Data*, 2nd edition 2012, section 2).
"""

from __future__ import annotations

from typing import Protocol


class Distribution(Protocol):
    """Good answers' latencies."""

    def value_at(self, share: float) -> int | None: ...


def bracket(good: Distribution, failed: float, share: float) -> tuple[float | None, float | None]:
    """The least and the greatest that the percentile `share` of all requests can be, where the
    share `failed` of them has no latency. The lower is 0 where so many failed that the percentile
    may be one of them, the upper None where it may be.

    Raises ValueError for a share of failures that is none.
    """
    if not 0 <= failed <= 1:
        raise ValueError(f"a share is 0 to 1, not {failed}")
    answered = 1 - failed
    low: float | None = 0.0
    high: float | None = None
    if failed < share:
        low = _number(good.value_at((share - failed) / answered))
    if share <= answered and answered > 0:
        high = _number(good.value_at(min(1.0, share / answered)))
    return low, high


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
