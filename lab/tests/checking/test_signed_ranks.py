"""Hodges and Lehmann's middle, and its interval."""

from __future__ import annotations

import numpy as np
import pytest

from checking.signed_ranks import middle


def test_the_middle_is_the_median_of_all_means_of_two() -> None:
    # Of 0, 0, 0, 0, 0 and 6: fifteen means of 0, five of 3, one of 6.
    found = middle([0, 0, 0, 0, 0, 6])
    assert (found.value, found.low, found.high) == (0, 0, 6)


def test_one_disturbed_pair_of_twenty_hardly_moves_the_interval() -> None:
    quiet = middle(np.linspace(-1, 1, 20))
    disturbed = middle([*np.linspace(-1, 1, 20)[:-1], 1000])
    assert disturbed.high < quiet.high + 0.3
    assert disturbed.low == pytest.approx(quiet.low, abs=0.3)


@pytest.mark.parametrize("count", [6, 10, 20])
def test_intervals_hold_the_middle_as_often_as_they_say(count: int) -> None:
    random = np.random.default_rng(1)
    found = [middle(row) for row in random.normal(size=(2000, count))]
    covered = np.mean([one.low <= 0 <= one.high for one in found])
    assert 0.93 <= covered <= 0.99


@pytest.mark.parametrize("rows", [[], [0.0] * 5, [0.0] * 6 + [float("nan")], [[0.0] * 6]])
def test_too_few_or_broken_differences(rows: object) -> None:
    with pytest.raises(ValueError, match="at least 6 finite numbers"):
        middle(rows)  # type: ignore[arg-type]
