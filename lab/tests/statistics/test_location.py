import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.location import location

times = st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=10)


@pytest.mark.parametrize("executions", [4, 6, 10])
def test_intervals_cover(executions: int) -> None:
    rng = np.random.default_rng([41, executions])
    values = 5e6 * np.exp(0.015 * rng.standard_normal((10_000, executions)))
    seen = [location(row) for row in values]
    covered = [one.low <= 5e6 <= one.high for one in seen]  # type: ignore[operator]
    assert 0.935 <= np.mean(covered) <= 0.975


def test_centre_is_geometric() -> None:
    assert location([1.0, 4.0, 16.0]).value == pytest.approx(4.0)
    assert location([1.0, 4.0, 16.0]).executions == 3


def test_no_interval_without_spread() -> None:
    for values in ([7.0], [7.0] * 5):
        seen = location(values)
        assert seen.value == pytest.approx(7.0)
        assert (seen.low, seen.high) == (None, None)


@pytest.mark.parametrize("values", [[], [0.0], [-1.0, 1.0], [np.nan]])
def test_refuses_values_that_are_no_times(values: list[float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        location(values)


@given(times, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_the_centre_lies_inside(values, random) -> None:  # type: ignore[no-untyped-def]
    seen = location(values)
    assert location(random.sample(values, len(values))).value == pytest.approx(seen.value)
    assert min(values) * (1 - 1e-9) <= seen.value <= max(values) * (1 + 1e-9)
    if seen.low is not None and seen.high is not None:
        assert seen.low <= seen.value <= seen.high
