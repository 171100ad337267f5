"""The least that a median can have been without interruptions that are known in sum alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.interruption import least_median

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


def test_it_is_never_negative() -> None:
    assert least_median([1.0, 2.0], 1e9) == 0
