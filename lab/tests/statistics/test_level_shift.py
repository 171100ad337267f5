"""Where a series of runs changes its level: simulated, truths known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.level_shift import level_shifts

FloatArray = npt.NDArray[np.float64]
REPETITIONS = 200


def series(random: np.random.Generator, *levels: tuple[int, float]) -> FloatArray:
    """So many runs around each level, 1% of noise."""
    return np.concatenate(
        [level * np.exp(random.normal(0, 0.01, count)) for count, level in levels]
    )


@pytest.mark.parametrize("runs", [4, 10, 30, 60])
def test_what_does_not_change_is_left_alone(runs: int) -> None:
    random = np.random.default_rng([41, runs])
    said = [bool(level_shifts(series(random, (runs, 1.0)))) for _ in range(REPETITIONS)]
    # Two tests at 1%; four standard errors of 200 repetitions above it.
    assert np.mean(said) <= 0.06


def test_even_noise_with_long_tails_is_left_alone() -> None:
    random = np.random.default_rng(42)
    said = [bool(level_shifts(np.exp(0.01 * random.standard_t(2, 30)))) for _ in range(REPETITIONS)]
    assert np.mean(said) <= 0.06


@pytest.mark.parametrize(("before", "after"), [(15, 15), (20, 4), (4, 20), (16, 3)])
def test_a_step_is_found_where_it_is(before: int, after: int) -> None:
    random = np.random.default_rng([43, before])
    found = [level_shifts(series(random, (before, 1.0), (after, 1.06))) for _ in range(50)]
    assert np.mean([before in cuts for cuts in found]) > 0.9
    assert np.mean([len(cuts) > 1 for cuts in found]) < 0.1


def test_five_against_five_is_the_least_of_its_kind() -> None:
    random = np.random.default_rng(44)
    assert level_shifts(series(random, (5, 1.0), (5, 1.2))) == [5]
    assert level_shifts(series(random, (4, 1.0), (4, 1.2))) == []


def test_up_and_back_again() -> None:
    random = np.random.default_rng(45)
    found = [level_shifts(series(random, (10, 1.0), (10, 1.08), (10, 1.0))) for _ in range(50)]
    assert np.mean([cuts == [10, 20] for cuts in found]) > 0.85


def test_three_levels() -> None:
    random = np.random.default_rng(46)
    assert level_shifts(series(random, (12, 1.0), (12, 1.1), (12, 0.9))) == [12, 24]


def test_one_wild_run_makes_no_level() -> None:
    random = np.random.default_rng(47)
    for place in (0, 7, 19):
        values = series(random, (20, 1.0))
        values[place] *= 5
        assert level_shifts(values) == []


def test_a_wild_run_hides_no_step() -> None:
    values = series(np.random.default_rng(48), (12, 1.0), (12, 1.1))
    values[3] *= 10
    assert level_shifts(values) == [12]


def test_small_changes_are_told_only_where_asked_for() -> None:
    values = series(np.random.default_rng(49), (20, 1.0), (20, 1.05))
    assert level_shifts(values) == [20]
    assert level_shifts(values, smallest=0.03) == [20]
    assert level_shifts(values, smallest=0.08) == []
    assert level_shifts(1 / values, smallest=0.03) == [20]


def test_a_small_step_does_not_take_a_great_one_with_it() -> None:
    values = series(np.random.default_rng(50), (20, 1.0), (20, 1.02), (20, 1.2))
    assert level_shifts(values, smallest=0.05) == [40]


def test_constants_and_steps_between_constants() -> None:
    assert level_shifts([4.0] * 30) == []
    assert level_shifts([4.0] * 20 + [8.0] * 4) == [20]


@given(st.lists(st.floats(1e-9, 1e18), max_size=14))
def test_any_values_give_rising_places_inside_and_the_same_again(values: list[float]) -> None:
    cuts = level_shifts(values)
    assert cuts == sorted(set(cuts))
    assert all(2 <= cut <= len(values) - 2 for cut in cuts)
    assert level_shifts(values) == cuts


def test_the_unit_does_not_matter() -> None:
    values = series(np.random.default_rng(51), (12, 1.0), (12, 1.1))
    assert level_shifts(values) == level_shifts(values * 1e9) == level_shifts(values / 1e9)


@pytest.mark.parametrize("values", [[1.0, 0.0], [1.0, -1.0], [float("nan")], [[1.0], [2.0]]])
def test_what_is_no_series_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="positive, finite numbers"):
        level_shifts(values)
