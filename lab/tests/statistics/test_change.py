"""How often a gate errs where nothing changed, and what it finds: simulated, truths known."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import pytest

from runfair.statistics.array import FloatArray
from runfair.statistics.change import Change, Compared, Doubt, changes, p_difference
from runfair.statistics.comparison import Ratio, paired_ratio, welch_ratio
from runfair.statistics.headline import location

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


@dataclass(frozen=True)
class Doubted:
    """Comparisons of figures of which nothing changed, and of which something made each execution
    of the second run longer: by all of `most`, or by a part of it that is `uneven`."""

    most: float
    uneven: bool = False

    def compared(self, random: np.random.Generator) -> Compared:
        before = np.exp(random.normal(0, 0.015, EXECUTIONS))
        true = np.exp(random.normal(0, 0.015, EXECUTIONS))
        part = random.random(EXECUTIONS) if self.uneven else np.ones(EXECUTIONS)
        after = true * (1 + self.most * part)
        # What is known of each execution: by how much it was made longer, at most.
        least = after / (1 + self.most * part)
        (low, _), (_, high) = (self._interval(one) for one in (least, before))
        doubt = Doubt((low / high, None), welch_ratio(least, before), None)
        return Compared(welch_ratio(after, before), 0.0, ARRANGEMENTS, doubt=doubt)

    def _interval(self, values: FloatArray) -> tuple[float, float]:
        found = location(values)
        assert found.low is not None and found.high is not None
        return found.low, found.high


def doubted_regressions(doubted: Doubted, figures: int, repetitions: int) -> float:
    random = np.random.default_rng(13)
    said = [changes([doubted.compared(random) for _ in range(figures)]) for _ in range(repetitions)]
    return share(said, "regression")


DOUBTED = pytest.mark.parametrize("doubted", [Doubted(0.2), Doubted(0.2, uneven=True)])


@DOUBTED
def test_a_doubt_makes_hardly_any_regression(doubted: Doubted) -> None:
    """Twelve of a hundred, where five are expected, come once in two hundred."""
    assert doubted_regressions(doubted, FIGURES, 100) <= 0.12


@DOUBTED
@pytest.mark.long
def test_a_doubt_makes_a_regression_at_most_once_in_twenty_comparisons(doubted: Doubted) -> None:
    """Bounds without Holm's correction would make one in 8 to 10% of the comparisons."""
    assert doubted_regressions(doubted, 36, 1500) <= 0.05


def test_many_bounded_figures_are_corrected_for() -> None:
    """Bounds that lie beyond the limit by so little are expected among many figures."""
    seen = welch_ratio([1.04, 1.06, 1.03, 1.05, 1.045, 1.055], [1.0, 1.02, 0.98, 1.0, 1.01, 0.99])
    doubted = Compared(seen, 0.0, ARRANGEMENTS, doubt=Doubt((1.01, None), seen, None))
    weak = welch_ratio([1.04, 1.08, 0.99, 1.05, 1.02, 1.09], [1.0, 1.04, 0.96, 1.0, 1.02, 0.98])
    barely = Compared(weak, 0.0, ARRANGEMENTS, doubt=Doubt((1.001, None), weak, None))
    quiet = Compared(welch_ratio([1.0, 1.01, 0.99], [1.0, 0.99, 1.01]), 0.0, 20)
    assert changes([doubted, barely]) == ["regression", "regression"]
    assert changes([doubted, barely, *[quiet] * 10])[:2] == ["regression", "unclear"]


def test_an_open_end_establishes_nothing_on_its_side() -> None:
    ratio = welch_ratio([2.0, 2.1, 1.9, 2.0], [1.0, 1.1, 0.9, 1.0])
    at_most = Doubt((None, 2.3), None, ratio)
    at_least = Doubt((1.7, None), ratio, None)
    assert changes([Compared(ratio, 0.03, 70, doubt=at_most)]) == ["unclear"]
    assert changes([Compared(ratio, 0.03, 70, doubt=at_least)]) == ["regression"]
    assert p_difference(ratio, at_most) == 1
    assert p_difference(ratio, at_least) == pytest.approx(ratio.p)
    assert p_difference(ratio, None) == ratio.p


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
    with pytest.raises(ValueError, match="must not be negative"):
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
