import numpy as np
import pytest

from runfair.statistics.noise_floor import (
    LARGEST_TOLERANCE,
    RECOMMENDED_PAIRS,
    WANDER,
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
    with pytest.raises(ValueError, match="no spread"):
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
