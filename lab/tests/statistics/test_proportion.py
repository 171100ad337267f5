"""The score interval against published values, and its coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from runfair.statistics.proportion import score_interval


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
    with pytest.raises(ValueError, match="is no share"):
        score_interval(hits, count)
