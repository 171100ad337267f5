"""Distances between two samples, held against scipy's and against their definitions."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runfair.statistics.distance import (
    Statistic,
    aligned,
    by_chance,
    kolmogorov_smirnov,
    rank_total_variation,
    total_variation,
)

SAMPLES = st.lists(st.integers(-20, 20), min_size=1, max_size=60)
DISTANCES: list[Statistic] = [kolmogorov_smirnov, total_variation, rank_total_variation]


@given(SAMPLES, SAMPLES)
def test_kolmogorov_smirnov_is_scipy_s(first: list[int], second: list[int]) -> None:
    counts = aligned(Counter(first), Counter(second))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its p-values, which are not looked at
        theirs = stats.ks_2samp(first, second).statistic
    assert kolmogorov_smirnov(*counts) == pytest.approx(theirs, abs=1e-12)


@given(SAMPLES, SAMPLES)
def test_what_every_distance_fulfils(first: list[int], second: list[int]) -> None:
    counts = aligned(Counter(first), Counter(second))
    for distance in DISTANCES:
        assert 0 <= distance(*counts) <= 1
        assert distance(*counts) == pytest.approx(distance(*counts[::-1]))
        assert distance(counts[0], counts[0] * 7) == pytest.approx(0, abs=1e-12)
    assert kolmogorov_smirnov(*counts) <= total_variation(*counts) + 1e-12
    assert rank_total_variation(*counts) <= total_variation(*counts) + 1e-12


def test_total_variation_by_hand() -> None:
    first, second = aligned({"a": 3, "b": 1}, {"b": 1, "c": 1})
    assert total_variation(first, second) == pytest.approx(0.75)
    assert rank_total_variation(first, second) == pytest.approx(0.25)
    assert total_variation(*aligned({"a": 1}, {"b": 9})) == 1


@pytest.mark.parametrize("statistic", DISTANCES)
def test_chance_is_exceeded_as_often_as_it_says(statistic: Statistic) -> None:
    """400 pairs of samples of one distribution, at 90%: 40 ± 18 of them (3 standard deviations),
    fewer where ties make distances equal."""
    rng = np.random.default_rng(7)
    shares = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05])
    exceeded = 0
    for seed in range(400):
        first, second = rng.multinomial(80, shares), rng.multinomial(120, shares)
        limit = by_chance(first, second, statistic, confidence=0.9, draws=99, seed=seed)
        exceeded += statistic(first, second) > limit
    assert 15 <= exceeded <= 58


def test_chance_is_the_same_for_the_same_seed() -> None:
    first, second = np.array([30, 10, 5]), np.array([20, 20, 5])
    found = {by_chance(first, second, total_variation, seed=3) for _ in range(3)}
    assert len(found) == 1 and 0 < found.pop() < 0.5


@pytest.mark.parametrize("statistic", DISTANCES)
def test_an_empty_sample_has_no_distance(statistic: Statistic) -> None:
    nothing, something = np.array([0, 0]), np.array([1, 2])
    with pytest.raises(ValueError, match="a sample without values"):
        statistic(nothing, something)
    with pytest.raises(ValueError, match="needs at least one value in each sample"):
        by_chance(something, nothing, statistic)
