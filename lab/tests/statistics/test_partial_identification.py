"""Percentiles where some requests failed."""

from __future__ import annotations

import json
from typing import TypedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.histogram import Histogram
from runfair.formats.service import SHARES, Percentile
from runfair.loading.generator import LOADGEN
from runfair.statistics.partial_identification import bracket, least_median
from runfair.statistics.percentile import rank

VALUES = st.lists(st.integers(1, 10**9), min_size=1, max_size=60)


@given(
    good=VALUES,
    lost=st.lists(st.integers(1, 10**9), max_size=20),
    waited=st.lists(st.integers(1, 10**9), max_size=20),
    share=st.floats(0.1, 0.99),
)
def test_whatever_the_lost_ones_would_have_been_lies_between(
    good: list[int], lost: list[int], waited: list[int], share: float
) -> None:
    """Lost ones would have taken any time, those given up at least as long as they had waited."""
    truth = [*good, *lost, *(2 * one for one in waited)]
    given_up = Histogram.of_values(waited)
    low, high = bracket(Histogram.of_values(good), len(lost) + len(waited), share, given_up)
    true = sorted(truth)[rank(share, len(truth)) - 1]
    assert low is not None and low <= true
    assert high is None or high >= true


@given(
    good=VALUES,
    lost=st.lists(st.integers(1, 10**9), max_size=20),
    waited=st.lists(st.integers(1, 10**9), max_size=20),
    share=st.floats(0.1, 0.99),
    data=st.data(),
)
def test_whatever_the_unseen_ones_would_have_been_lies_between(
    good: list[int], lost: list[int], waited: list[int], share: float, data: st.DataObject
) -> None:
    """Unseen ones may be any of the answers, and would have taken any time."""
    unseen = data.draw(st.integers(0, len(good)), label="unseen")
    order = data.draw(st.permutations(good), label="order")
    right = data.draw(st.lists(st.integers(1, 10**9), min_size=unseen, max_size=unseen))
    truth = [*order[unseen:], *right, *lost, *(2 * one for one in waited)]
    failed, given_up = len(lost) + len(waited), Histogram.of_values(waited)
    low, high = bracket(Histogram.of_values(good), failed, share, given_up, unseen)
    true = sorted(truth)[rank(share, len(truth)) - 1]
    assert low is not None and low <= true
    assert high is None or high >= true


def test_unseen_ones_are_counted_once() -> None:
    """Of 100 answers, 10 are wrong: the slowest, or the fastest."""
    good = Histogram.of_values(range(1, 101))
    assert bracket(good, 0, 0.5, unseen=10) == (40, 60)
    assert bracket(good, 0, 0.9, unseen=10) == (80, 100)
    assert bracket(good, 0, 0.91, unseen=10) == (81, None)
    assert bracket(good, 0, 0.05, unseen=10) == (0, 15)
    # 10 more requests failed: the fifty-fifth of 110.
    assert bracket(good, 10, 0.5, unseen=10) == (35, 65)


class Vector(TypedDict):
    """A case that the load generator's rule is tested with too."""

    name: str
    good: list[list[int]]
    given_up: list[list[int]]
    others: int
    percentile: Percentile
    low: int
    high: int | None


VECTORS: list[Vector] = json.loads((LOADGEN / "tests/vectors/brackets.json").read_text())


def histogram(values: list[list[int]]) -> Histogram:
    return Histogram.of_values([value for value, count in values for _ in range(count)])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_load_generators_own_vectors(vector: Vector) -> None:
    given_up = histogram(vector["given_up"])
    failed = vector["others"] + given_up.total
    found = bracket(histogram(vector["good"]), failed, SHARES[vector["percentile"]], given_up)
    assert found == (vector["low"], vector["high"])


def test_nothing_at_all_has_no_percentile() -> None:
    assert bracket(Histogram.of_values([]), 0, 0.5) == (None, None)
    assert bracket(Histogram.of_values([]), 1, 0.5) == (0, None)


def test_more_given_up_than_failed() -> None:
    with pytest.raises(ValueError, match="only 1 requests failed"):
        bracket(Histogram.of_values([1]), 1, 0.5, Histogram.of_values([1, 2]))


TRUE = st.lists(st.floats(0, 1e9), min_size=1, max_size=40)


def lower_median(values: np.ndarray) -> float:
    return float(np.sort(values)[(len(values) - 1) // 2])


@given(true=TRUE, data=st.data())
def test_the_true_median_is_never_below(true: list[float], data: st.DataObject) -> None:
    """However the delay was spread over the durations."""
    delays = data.draw(
        st.lists(st.floats(0, 1e9), min_size=len(true), max_size=len(true)), label="delays"
    )
    measured = np.array(true) + np.array(delays)
    found = least_median(measured, float(np.sum(delays)))
    assert found is not None
    assert found <= lower_median(np.array(true)) * (1 + 1e-9) + 1e-3


def test_without_interruptions_it_is_the_median() -> None:
    assert least_median([1, 2, 3], 0) == 2
    assert least_median([], 0) is None


def test_one_long_interruption_among_many_short_iterations_moves_it_by_little() -> None:
    """A second that others took in all cannot have made each of a thousand iterations longer."""
    random = np.random.default_rng(1)
    true = 1e7 * np.exp(random.normal(0, 0.003, 1000))
    measured = true.copy()
    measured[500] += 1e9
    found = least_median(measured, 1e9)
    assert found is not None
    assert found == pytest.approx(np.median(true), rel=0.3)
    assert found <= np.median(true)


def test_it_is_the_least_that_is_possible() -> None:
    """If the shortest durations up to the median contain the whole delay, the true median equals
    the bound."""
    measured = np.array([4.0, 5.0, 6.0, 8.0, 9.0])
    found = least_median(measured, 3.0)
    assert found == 4.0  # 5 lost 1, and 6 lost 2
    assert lower_median(measured - np.array([0.0, 1.0, 2.0, 0.0, 0.0])) == found


def test_equal_durations_share_the_delay() -> None:
    """Half of them must be lowered to lower the median, so each by at most twice the mean delay."""
    assert least_median([10.0] * 101, 101.0) == pytest.approx(10 - 101 / 51)


def test_it_is_never_negative() -> None:
    assert least_median([1.0, 2.0], 1e9) == 0
