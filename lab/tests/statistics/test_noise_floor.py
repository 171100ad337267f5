from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.noise_floor import (
    LARGEST_TOLERANCE,
    RECOMMENDED_PAIRS,
    WANDER,
    drift_along,
    drift_between,
    level_tolerance,
    noise_floor,
    single_pair,
)
from runfair.statistics.steady_state import detect


def test_the_floor_is_the_half_width_of_the_interval() -> None:
    rng = np.random.default_rng(71)
    floors = [
        noise_floor(*np.exp(0.01 * rng.standard_normal((2, RECOMMENDED_PAIRS)))).half_width
        for _ in range(400)
    ]
    # t(19) times sqrt(2)·1% over sqrt(20): 0.66%.
    assert np.mean(floors) == pytest.approx(0.0066, rel=0.06)


def test_a_quieter_machine_has_a_lower_floor() -> None:
    rng = np.random.default_rng(72)
    noise = rng.standard_normal((2, RECOMMENDED_PAIRS))
    assert noise_floor(*np.exp(0.001 * noise)).half_width < (
        noise_floor(*np.exp(0.02 * noise)).half_width / 10
    )


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0, 1.0]])
def test_without_spread_there_is_no_floor(values: list[float]) -> None:
    with pytest.raises(ValueError, match="all pairs have the same difference"):
        noise_floor(values, values)


@pytest.mark.parametrize("deviation", [0.002, 0.005, 0.01])
def test_the_spread_of_single_pairs_is_recovered(deviation: float) -> None:
    """Of many simulated calibrations, 95% of further single pairs differ by less."""
    random = np.random.default_rng(11)
    within = []
    for _ in range(400):
        first, second = np.exp(random.normal(0, deviation, (2, 20)))
        allowed = single_pair(noise_floor(first, second).half_width, 20)
        further = np.abs(random.normal(0, deviation, 100) - random.normal(0, deviation, 100))
        within.append(np.mean(further <= np.log1p(allowed)))
    assert 0.92 < np.mean(within) < 0.97


def test_levels_may_wander_by_more_than_pairs_differ_but_not_far() -> None:
    assert level_tolerance(0.001, 20) == WANDER * single_pair(0.001, 20)
    assert level_tolerance(0.049, 20) == LARGEST_TOLERANCE


def test_a_noisy_calibration_hides_no_great_step() -> None:
    """A floor of 4.9% would have allowed 22% without a limit."""
    levels = np.where(np.arange(120) < 40, 1.18, 1.0)
    random = np.random.default_rng(12)
    durations = 1e9 * levels * np.exp(random.normal(0, 0.003, 120))
    found = detect(durations, tolerance=level_tolerance(0.049, 20)).start
    assert found is not None and 38 <= found <= 42
    assert len(detect(durations, tolerance=single_pair(0.049, 20)).segments) == 1


def test_between_two_sets_of_readings() -> None:
    before, after = [100.0, 101.0, 99.0, 500.0, 100.0], [102.0, 101.0, 103.0, 102.0, 900.0]
    assert drift_between(before, after) == pytest.approx(0.02)
    assert drift_between(after, before) == pytest.approx(1 / 1.02 - 1)


def test_along_readings_with_wild_ones_among_them() -> None:
    rng = np.random.default_rng(81)
    instants = np.arange(200) * 1e9
    readings = 6e5 * np.linspace(1, 1.04, 200) * np.exp(0.002 * rng.standard_normal(200))
    readings[rng.choice(200, 30, replace=False)] *= 20
    assert drift_along(instants, readings) == pytest.approx(0.04, abs=0.004)


@given(st.lists(st.floats(1, 1e9), min_size=2, max_size=20, unique=True), st.floats(0.5, 2.0))
def test_a_change_of_unit_is_no_drift(readings: list[float], factor: float) -> None:
    instants = np.arange(len(readings))
    assert drift_along(instants, np.array(readings) * factor) == pytest.approx(
        drift_along(instants, readings), rel=1e-6, abs=1e-9
    )


def test_refuses_readings_that_show_no_drift() -> None:
    with pytest.raises(ValueError, match="lengths"):
        drift_along([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="two different times"):
        drift_along([5.0, 5.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="positive"):
        drift_between([0.0], [1.0])
