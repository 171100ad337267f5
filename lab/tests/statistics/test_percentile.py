"""Intervals of one execution's percentile: against the definition, textbooks and simulation.

The score interval against published values, and its coverage by simulation.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runfair.statistics.percentile import (
    Ranks,
    label,
    least_count,
    rank,
    ranks,
    score_interval,
)

shares = st.sampled_from([0.1, 0.5, 0.9, 0.99, 0.999])


def test_p99_99_needs_29_956_requests_one_sided_and_36_887_two_sided() -> None:
    assert least_count(0.9999, sides=1) == 29_956
    assert least_count(0.9999, sides=2) == 36_887
    assert ranks(0.9999, 36_886).high is None
    assert ranks(0.9999, 36_887).high == 36_887
    one_sided = 0.9  # two-sided 90% leaves 5% above, as one-sided 95% does
    assert ranks(0.9999, 29_955, confidence=one_sided).high is None
    assert ranks(0.9999, 29_956, confidence=one_sided).high == 29_956


@pytest.mark.parametrize(("count", "low", "high"), [(6, 1, 6), (20, 6, 15), (100, 40, 61)])
def test_textbook_ranks_of_the_median(count: int, low: int, high: int) -> None:
    """Conover, Practical Nonparametric Statistics, table A3."""
    assert ranks(0.5, count) == Ranks(low, high)
    assert ranks(0.5, 5) == Ranks(None, None)


@given(share=shares, count=st.integers(0, 3_000), confidence=st.sampled_from([0.9, 0.95, 0.99]))
def test_ranks_are_the_tightest_that_hold(share: float, count: int, confidence: float) -> None:
    found = ranks(share, count, confidence=confidence)
    at_or_below = stats.binom(count, share)
    miss = (1 - confidence) / 2 * (1 + 1e-9)

    def misses_low(low: int) -> bool:
        return bool(at_or_below.cdf(low - 1) > miss)

    def misses_high(high: int) -> bool:
        return bool(at_or_below.sf(high - 1) > miss)

    if found.low is None:
        assert count == 0 or misses_low(1)
    else:
        assert not misses_low(found.low) and misses_low(found.low + 1)
    if found.high is None:
        assert count == 0 or misses_high(count)
    else:
        assert not misses_high(found.high) and misses_high(found.high - 1)


@given(share=shares, sides=st.sampled_from([1, 2]))
def test_the_least_count_is_where_the_interval_begins(share: float, sides: int) -> None:
    confidence = 0.95 if sides == 2 else 0.9
    least = least_count(share, sides=2 if sides == 2 else 1)
    enough, short = (ranks(share, n, confidence=confidence) for n in (least, least - 1))
    assert enough.high is not None and (sides == 1 or enough.low is not None)
    assert short.high is None or (sides == 2 and short.low is None)


def test_a_thousand_million_values_agree_with_the_normal_limit() -> None:
    count = 1_000_000_000
    for share in (0.5, 0.99, 0.9999):
        found = ranks(share, count)
        assert found.low is not None and found.high is not None
        deviation = np.sqrt(count * share * (1 - share))
        assert (found.low - count * share) / deviation == pytest.approx(-1.959964, abs=0.01)
        assert (found.high - count * share) / deviation == pytest.approx(1.959964, abs=0.01)


def test_a_rank_does_not_slip_by_a_binary_digit() -> None:
    assert 0.55 * 100 > 55
    assert rank(0.55, 100) == 55
    assert rank(0.999, 1_000) == 999
    assert rank(0.99, 100) == 99
    assert rank(0.99, 101) == 100
    assert [label(share) for share in (0.5, 0.99, 0.999, 0.9999)] == [
        "p50",
        "p99",
        "p99.9",
        "p99.99",
    ]


@pytest.mark.parametrize(("share", "count"), [(0.5, 100), (0.99, 1_000), (0.999, 5_000)])
def test_intervals_cover(share: float, count: int) -> None:
    rng = np.random.default_rng([71, count])
    found = ranks(share, count)
    assert found.low is not None and found.high is not None
    # The share of a distribution below its sample's r-th value is Beta(r, n - r + 1).
    sample = np.sort(rng.random((5_000, count), dtype=np.float32), axis=1)
    covered = (sample[:, found.low - 1] <= share) & (share <= sample[:, found.high - 1])
    assert 0.945 <= covered.mean() <= 0.98


def test_refuses_what_is_no_share_or_count() -> None:
    for share in (0.0, 1.0, 99.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            ranks(share, 10)
    with pytest.raises(ValueError, match="confidence"):
        ranks(0.5, 10, confidence=1)
    with pytest.raises(ValueError, match="at least one"):
        rank(0.5, 0)


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in
        # Medicine 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(hits: int, count: int, low: float, high: float) -> None:
    assert score_interval(hits, count) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("share", [0.003, 0.05, 0.5])
def test_it_covers_the_true_share(share: float) -> None:
    random = np.random.default_rng(1)
    count = 2_000
    covered = [
        low <= share <= high
        for low, high in (
            score_interval(int(hits), count) for hits in random.binomial(count, share, 4_000)
        )
    ]
    assert 0.93 < np.mean(covered) < 0.975


@pytest.mark.parametrize(("hits", "count"), [(1, 0), (0, 0), (-1, 5), (6, 5)])
def test_what_is_no_share(hits: int, count: int) -> None:
    with pytest.raises(ValueError, match="is not a valid share"):
        score_interval(hits, count)
