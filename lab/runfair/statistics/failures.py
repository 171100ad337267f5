"""The share of failed requests with its confidence interval.

The interval of a share is the exact interval of Clopper and Pearson ("The use of confidence or
fiducial limits", Biometrika 1934). Requests fail together, so the interval is that of the effective
numbers of requests (Korn and Graubard, "Confidence intervals for proportions with small expected
number of positive counts", Survey Methodology 1998). If several loads are taken together, all
requests have the same weight: the sums are divided by one factor, the mean of `failures_each` over
all failed requests.

If only a sample of the bodies was compared, the share of wrong bodies in the sample has an interval
of its own, and counts for all answers whose bodies could have been compared. The sum of the two
intervals contains the sum of the two shares if each interval misses its share half as often
(Bonferroni).

The load generator decides by the same rule (`loadgen/src/judgement/requirement.rs`), and the same
vectors test both (`loadgen/tests/vectors/failed_shares.json`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import betaincinv

from runfair.statistics.percentile import CONFIDENCE


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of the requests of one load. `checkable` answers are good if their bodies are;
    the bodies of `checked` of them were compared, and `wrong_of_checked` bodies were wrong.
    `failures_each` is the design effect: the number of requests for each effective request."""

    good: int
    failed: int
    checkable: float = 0
    checked: int = 0
    wrong_of_checked: int = 0
    failures_each: float = 1.0


def failed_interval(loads: Sequence[Outcomes]) -> tuple[float, float]:
    """The 95% confidence limits of the share of failed requests over all loads. Raises ValueError
    if there are no requests."""
    requests = sum(one.good + one.failed for one in loads)
    if not requests:
        raise ValueError("the share of failed requests needs at least one request")
    miss = (1 - CONFIDENCE) / 2
    failed = sum(one.failed for one in loads)
    each = (
        sum(one.failed * one.failures_each for one in loads) / failed
        if failed
        else max(one.failures_each for one in loads)
    )

    def interval(hits: int, others: int, miss: float) -> tuple[float, float]:
        return _share_interval(hits / each, others / each, miss)

    if all(one.checked == one.checkable for one in loads):
        return interval(failed, requests - failed, miss)
    wrong = sum(one.wrong_of_checked for one in loads)
    checked = sum(one.checked for one in loads)
    others = interval(failed - wrong, requests - failed + wrong, miss / 2)
    bodies = interval(wrong, checked - wrong, miss / 2)
    part = min(1.0, sum(one.checkable for one in loads) / requests)
    return others[0] + part * bodies[0], min(1.0, others[1] + part * bodies[1])


def _share_interval(hits: float, others: float, miss: float) -> tuple[float, float]:
    """The limits of a share, each of which is exceeded with the probability `miss`."""
    low = float(betaincinv(hits, others + 1, miss)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, others, 1 - miss)) if others > 0 else 1.0
    return low, high
