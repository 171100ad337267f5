import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.statistics import changepoint
from runfair.statistics.changepoint import changepoints

FLOOR = 1e-4


def cost(segment: np.ndarray) -> float:
    variance = segment.var()
    constrained = max(variance, FLOOR)
    return float(segment.size * (np.log(constrained) + variance / constrained))


def total(series: np.ndarray, changes: list[int], penalty: float) -> float:
    return sum(cost(part) for part in np.split(series, changes)) + penalty * len(changes)


def best_total(series: np.ndarray, penalty: float, shortest: int) -> float:
    """Optimal partitioning without pruning (Jackson et al. 2005): the reference."""
    best = [-penalty] + [np.inf] * series.size
    for end in range(shortest, series.size + 1):
        best[end] = min(
            best[start] + cost(series[start:end]) + penalty for start in range(end - shortest + 1)
        )
    return float(best[-1])


def test_finds_changes_of_mean_and_of_variance() -> None:
    rng = np.random.default_rng(20)
    series = np.concatenate([rng.normal(0, 1, 100), rng.normal(6, 1, 80), rng.normal(6, 0.1, 120)])
    found = changepoints(series, penalty=30, minimum_segment=5, variance_floor=FLOOR)
    assert len(found) == 2
    assert abs(found[0] - 100) <= 1
    assert abs(found[1] - 180) <= 8


def test_finds_nothing_in_noise() -> None:
    for seed in range(30):
        series = np.random.default_rng(seed).standard_normal(400)
        assert changepoints(series, penalty=90, minimum_segment=5, variance_floor=FLOOR) == []


def test_constant_and_short_series_have_no_changes() -> None:
    for series in ([], [1.0], [1.0] * 9, [7.0] * 300):
        assert changepoints(series, penalty=1, minimum_segment=5, variance_floor=FLOOR) == []


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, 1.1, 2.0, 5.0]), min_size=1, max_size=40),
    st.floats(0, 20),
    st.integers(1, 6),
)
def test_pruning_loses_no_optimum(values: list[float], penalty: float, shortest: int) -> None:
    series = np.array(values)
    found = changepoints(series, penalty=penalty, minimum_segment=shortest, variance_floor=FLOOR)
    lengths = np.diff([0, *found, series.size])
    if series.size >= 2 * shortest:
        assert lengths.min() >= shortest
        expected = best_total(series, penalty, shortest)
        assert total(series, found, penalty) == pytest.approx(expected, abs=1e-6)
    else:
        assert found == []


def test_pruning_loses_no_optimum_where_levels_are_shorter_than_segments() -> None:
    """Here a candidate beaten too early is missed: pruning at once fails in one case of 20."""
    rng = np.random.default_rng(21)
    for _ in range(400):
        levels = np.repeat(rng.integers(0, 4, 36), rng.integers(1, 5, 36))[: rng.integers(12, 36)]
        series = np.round(
            levels + rng.choice([0.01, 0.1, 0.3]) * rng.standard_normal(levels.size), 2
        )
        penalty, shortest = float(rng.choice([0, 0.5, 1, 2, 4, 8])), int(rng.integers(3, 7))
        if series.size < 2 * shortest:
            continue
        found = changepoints(
            series, penalty=penalty, minimum_segment=shortest, variance_floor=FLOOR
        )
        expected = best_total(series, penalty, shortest)
        assert total(series, found, penalty) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("penalty", "shortest", "floor"), [(-1.0, 5, 1.0), (1.0, 0, 1.0), (1.0, 5, 0.0)]
)
def test_refuses_arguments_out_of_range(penalty: float, shortest: int, floor: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        changepoints([1.0] * 20, penalty=penalty, minimum_segment=shortest, variance_floor=floor)


def test_refuses_what_is_not_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        changepoints([1.0, np.nan], penalty=1, minimum_segment=1, variance_floor=1)


@pytest.mark.parametrize("seed", range(40))
def test_pruning_and_looking_at_all_at_once_find_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    levels = np.repeat(rng.normal(0, 3, 6), rng.integers(1, 30, 6))
    series = levels + rng.normal(0, rng.uniform(0.01, 1), levels.size)
    found = []
    for at_once in (0, series.size):
        monkeypatch.setattr(changepoint, "AT_ONCE", at_once)
        found.append(
            changepoints(series, penalty=12, minimum_segment=1 + seed % 6, variance_floor=FLOOR)
        )
    assert found[0] == found[1]
