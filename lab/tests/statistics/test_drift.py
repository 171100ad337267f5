import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.drift import drift_along, drift_between


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
    with pytest.raises(ValueError, match="two different instants"):
        drift_along([5.0, 5.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="positive"):
        drift_between([0.0], [1.0])
