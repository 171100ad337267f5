"""How often a gate errs where nothing changed, and what it finds: simulated, truths known."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from runfair.statistics.change import Change, Compared, changes
from runfair.statistics.comparison import Ratio, paired_ratio, welch_ratio

EXECUTIONS = 6
FIGURES = 12
REPETITIONS = 600
ARRANGEMENTS = comb(2 * EXECUTIONS, EXECUTIONS)


def simulated(limit: float, *, slower: float = 0.0, run: float = 0.0) -> list[list[Change]]:
    """What is said of `FIGURES` figures whose first became slower by so much; `run` moves all."""
    random = np.random.default_rng([7, int(1000 * limit), int(1000 * abs(slower)), int(1000 * run)])
    said = []
    for _ in range(REPETITIONS):
        before = np.exp(random.normal(0, 0.015, (FIGURES, EXECUTIONS)))
        after = np.exp(random.normal(0, 0.015, (FIGURES, EXECUTIONS)) + random.normal(0, run))
        after[0] *= 1 + slower
        pairs = zip(after, before, strict=True)
        said.append(changes([Compared(welch_ratio(*pair), limit, ARRANGEMENTS) for pair in pairs]))
    return said


def share(said: list[list[Change]], of: Change) -> float:
    return float(np.mean([of in words for words in said]))


def test_nothing_changed_and_no_limit_fails_at_most_once_in_twenty() -> None:
    said = simulated(0.0)
    for change in ("regression", "improvement"):
        # Three standard errors of 600 repetitions above 5%.
        assert 0.005 < share(said, change) <= 0.077


@pytest.mark.parametrize(("limit", "run"), [(0.01, 0.0), (0.03, 0.01), (0.03, 0.02)])
def test_behind_a_limit_it_fails_hardly_ever(limit: float, run: float) -> None:
    assert share(simulated(limit, run=run), "regression") <= 0.05


def test_what_became_worse_beyond_the_limit_is_found() -> None:
    said = simulated(0.03, slower=0.10)
    assert np.mean([words[0] == "regression" for words in said]) > 0.95
    assert np.mean(["regression" in words[1:] for words in said]) < 0.01


def test_a_change_just_at_the_limit_is_no_regression() -> None:
    said = simulated(0.03, slower=0.03)
    assert np.mean([words[0] == "regression" for words in said]) <= 0.05


def test_what_became_faster_is_an_improvement() -> None:
    said = simulated(0.03, slower=-0.10)
    assert np.mean([words[0] == "improvement" for words in said]) > 0.95


def one(before: list[float], after: list[float], limit: float = 0.03) -> Change:
    arrangements = comb(len(before) + len(after), len(before))
    return changes([Compared(welch_ratio(after, before), limit, arrangements)])[0]


def test_what_is_the_same_every_time_needs_no_spread() -> None:
    assert one([4.0] * 6, [8.0] * 6) == "regression"
    assert one([8.0] * 6, [4.0] * 6) == "improvement"
    assert one([8.0] * 6, [8.0] * 6) == "within"
    assert one([8.0] * 6, [8.1] * 6) == "within"
    assert one([100.0] * 6, [100.1] * 6, limit=0.0) == "regression"


def test_single_executions_establish_nothing() -> None:
    assert one([4.0], [8.0]) == "unclear"
    assert one([4.0], [4.0]) == "unclear"
    assert one([4.0] * 2, [8.0] * 2) == "unclear"


def test_noise_leaves_open_what_few_executions_cannot_tell() -> None:
    assert one([1.0, 1.1, 0.9, 1.05], [1.05, 0.95, 1.1, 1.0]) == "unclear"


def test_one_constant_side_is_compared_by_the_others_spread() -> None:
    assert one([1.0] * 6, [1.2, 1.21, 1.19, 1.2, 1.22, 1.18]) == "regression"


def test_pairs_without_a_spread() -> None:
    before = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    doubled = Compared(paired_ratio([2 * one for one in before], before), 0.03, 2**6)
    assert changes([doubled]) == ["regression"]


def test_many_figures_are_corrected_for() -> None:
    before, after = [1.0, 1.02, 0.98, 1.0, 1.01, 0.99], [1.02, 1.04, 1.01, 1.02, 1.03, 1.01]
    seen = Compared(welch_ratio(after, before), 0.0, ARRANGEMENTS)
    quiet = Compared(welch_ratio(before, before[::-1]), 0.0, ARRANGEMENTS)
    assert changes([seen]) == ["regression"]
    assert changes([seen, *[quiet] * 10])[0] == "unclear"


def test_no_figures_and_a_negative_limit() -> None:
    assert changes([]) == []
    with pytest.raises(ValueError, match="not negative"):
        changes([Compared(welch_ratio([1.0, 2.0], [1.0, 2.0]), -0.01, 6)])


@pytest.mark.parametrize(
    ("low", "high", "change"),
    [
        (0.98, 1.02, "within"),
        (1 / 1.03, 1.03, "within"),
        (0.95, 1.02, "unclear"),
        (0.98, 1.05, "unclear"),
    ],
)
def test_within_is_the_whole_interval_both_ways(low: float, high: float, change: Change) -> None:
    ratio = Ratio(
        value=1.0,
        low=low,
        high=high,
        p=0.9,
        pairs=0,
        method="welch",
        log_standard_error=0.02,
        degrees_of_freedom=10,
    )
    assert changes([Compared(ratio, 0.03, ARRANGEMENTS)]) == [change]


def test_three_against_three_that_never_change_are_within() -> None:
    """One of twenty arrangements, 5%, is the least that establishes anything."""
    assert one([8.0] * 3, [8.0] * 3) == "within"
    assert one([8.0] * 2, [8.0] * 2) == "unclear"
