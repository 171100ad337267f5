"""Coverage and error rates of the comparison, by simulation, and its algebra.

The bounds are the ones promised: 93.5% to 97.5% for a nominal 95%. With 5,500 repetitions (standard
error 0.29%), an interval that covers 95% fails by chance for one seed in two million.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runfair.statistics.comparison import (
    GeometricMean,
    Ratio,
    geometric_mean,
    holm,
    paired_ratio,
    welch_ratio,
)
from simulated.experiments import experiment

REPETITIONS = 5_500
times = st.floats(1e-3, 1e15)
pairs = st.lists(st.tuples(times, times), min_size=1, max_size=12)


def coverage(ratios: list[Ratio], truth: float = 1.0) -> float:
    return float(np.mean([r.low <= truth <= r.high for r in ratios]))  # type: ignore[operator]


@pytest.mark.parametrize("drift", [0.0, 0.04])
@pytest.mark.parametrize("blocks", [2, 3, 5])
@pytest.mark.parametrize("deviations", [(0.015, 0.015), (0.015, 0.003), (0.015, 0.015, 0.03, 0.01)])
def test_paired_intervals_cover(blocks: int, drift: float, deviations: tuple[float, ...]) -> None:
    rng = np.random.default_rng([31, blocks, int(100 * drift), len(deviations)])
    values = experiment(
        rng, repetitions=REPETITIONS, blocks=blocks, deviations=deviations, drift=drift
    )
    ratios = [paired_ratio(1.3 * one[1], one[0]) for one in values]
    assert {ratio.pairs for ratio in ratios} == {2 * blocks}
    assert 0.935 <= coverage(ratios, 1.3) <= 0.975


@pytest.mark.parametrize("drift", [0.0, 0.04])
@pytest.mark.parametrize("blocks", [2, 3, 5])
def test_self_comparison_finds_a_false_difference_once_in_twenty(blocks: int, drift: float) -> None:
    rng = np.random.default_rng([32, blocks, int(100 * drift)])
    values = experiment(
        rng, repetitions=REPETITIONS, blocks=blocks, deviations=(0.015, 0.015), drift=drift
    )
    p_values = [paired_ratio(one[1], one[0]).p for one in values]
    assert 0.025 <= np.mean([p < 0.05 for p in p_values if p is not None]) <= 0.065


def test_half_blocks_are_narrower_than_blocks() -> None:
    values = experiment(
        np.random.default_rng(33), repetitions=500, blocks=2, deviations=(0.015, 0.015)
    )
    halves = [paired_ratio(one[1], one[0]) for one in values]
    wholes = [
        paired_ratio(*(np.exp(np.log(side).mean(axis=1)) for side in (one[1], one[0])))
        for one in values
    ]
    widths = [np.median([r.high / r.low - 1 for r in rs]) for rs in (halves, wholes)]  # type: ignore[operator]
    assert widths[0] < widths[1] / 2


@pytest.mark.parametrize("executions", [4, 6, 10])
@pytest.mark.parametrize("deviations", [(0.015, 0.015), (0.015, 0.003)])
def test_welch_intervals_cover_where_nothing_drifts(
    executions: int, deviations: tuple[float, float]
) -> None:
    rng = np.random.default_rng([34, executions])
    values = np.exp(
        rng.standard_normal((REPETITIONS, 2, executions)) * np.array(deviations)[None, :, None]
    )
    assert 0.935 <= coverage([welch_ratio(one[1], one[0]) for one in values]) <= 0.975


def test_the_mirror_keeps_a_drift_from_becoming_a_difference() -> None:
    """A…A B…B under a 4% drift finds a false difference nearly always; this is the contrast."""
    rng = np.random.default_rng(35)
    slowness = np.exp(np.linspace(0, 0.04, 20) + 0.005 * rng.standard_normal((1_000, 20)))
    blocked = [welch_ratio(one[10:], one[:10]).p for one in slowness]
    assert np.mean([p < 0.05 for p in blocked if p is not None]) > 0.95
    values = experiment(rng, repetitions=1_000, blocks=5, deviations=(0.005, 0.005), drift=0.04)
    mirrored = [paired_ratio(one[1], one[0]).p for one in values]
    assert np.mean([p < 0.05 for p in mirrored if p is not None]) < 0.08


def test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(36)
    ours, theirs = np.exp(rng.normal(1, 0.1, 7)), np.exp(rng.normal(0.9, 0.3, 7))
    paired = stats.ttest_rel(np.log(ours), np.log(theirs))
    unpaired = stats.ttest_ind(np.log(ours[:5]), np.log(theirs), equal_var=False)
    for ratio, reference in (
        (paired_ratio(ours, theirs), paired),
        (welch_ratio(ours[:5], theirs), unpaired),
    ):
        limits = reference.confidence_interval(0.95)
        assert ratio.p == pytest.approx(reference.pvalue)
        assert (ratio.low, ratio.high) == pytest.approx(tuple(np.exp(limits)))
        assert ratio.degrees_of_freedom == pytest.approx(reference.df)


def test_the_shape_of_the_blocks_does_not_matter() -> None:
    ours, theirs = np.array([[2.0, 2.1], [2.2, 1.9]]), np.array([[1.0, 1.1], [1.0, 1.0]])
    assert paired_ratio(ours, theirs) == paired_ratio(ours.ravel(), theirs.ravel())


@pytest.mark.parametrize("compare", [paired_ratio, welch_ratio])
def test_too_few_values_have_a_ratio_and_no_interval(compare) -> None:  # type: ignore[no-untyped-def]
    ratio = compare([3.0], [2.0])
    assert ratio.value == pytest.approx(1.5)
    assert (ratio.low, ratio.high, ratio.p) == (None, None, None)


@pytest.mark.parametrize("compare", [paired_ratio, welch_ratio])
def test_no_spread_gives_no_interval(compare) -> None:  # type: ignore[no-untyped-def]
    ratio = compare([30.0] * 6, [20.0] * 6)
    assert ratio.value == pytest.approx(1.5)
    assert (ratio.low, ratio.high, ratio.p, ratio.degrees_of_freedom) == (None, None, None, 0)


@pytest.mark.parametrize("compare", [paired_ratio, welch_ratio])
@pytest.mark.parametrize("bad", [[0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], []])
def test_refuses_values_that_are_no_times(compare, bad: list[float]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="must be"):
        compare(bad, [1.0] * len(bad))


def test_refuses_values_without_partners_and_impossible_confidence() -> None:
    with pytest.raises(ValueError, match="different shapes"):
        paired_ratio([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="confidence"):
        paired_ratio([1.0, 2.0], [1.0, 1.0], confidence=1.0)


def test_within_the_noise_floor_either_way_round() -> None:
    for values in ([1.01, 1.01], [1 / 1.01, 1 / 1.01]):
        ratio = paired_ratio(values, [1.0, 1.0])
        assert ratio.within_noise_floor(0.0101)
        assert not ratio.within_noise_floor(0.0099)


def assert_same(one: Ratio, value: float, low: float | None, high: float | None) -> None:
    assert one.value == pytest.approx(value)
    if one.low is None or low is None:
        assert one.low == one.high == low == high is None
    else:
        assert (one.low, one.high) == pytest.approx((low, high), rel=1e-6)


@given(pairs)
def test_exchanging_the_sides_inverts_the_ratio(values: list[tuple[float, float]]) -> None:
    ours, theirs = zip(*values, strict=True)
    for compare in (paired_ratio, welch_ratio):
        ratio, inverse = compare(ours, theirs), compare(theirs, ours)
        low, high = (
            (None, None)
            if ratio.low is None or ratio.high is None
            else (np.float64(1) / ratio.high, np.inf if ratio.low == 0 else 1 / ratio.low)
        )
        if ratio.low == 0 or ratio.high == np.inf:
            continue
        assert_same(inverse, 1 / ratio.value, low, high)
        if ratio.p is not None and inverse.p is not None:
            assert inverse.p == pytest.approx(ratio.p, rel=1e-6, abs=1e-12)


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(values, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(values, len(values))
    one = paired_ratio(*zip(*values, strict=True))
    other = paired_ratio(*zip(*shuffled, strict=True))
    assert one.value == pytest.approx(other.value)
    assert one.pairs == other.pairs
    assert (one.p is None) == (other.p is None)
    if one.p is not None:
        assert one.p == pytest.approx(other.p, rel=1e-5, abs=1e-9)


p_lists = st.lists(st.floats(0, 1), max_size=15)


def test_a_hand_computed_example() -> None:
    # Ascending 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, and 0.04 raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_comparison_without_statement_does_not_count() -> None:
    assert holm([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]
    assert holm([]) == []
    assert holm([None]) == [None]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(ValueError, match="p values"):
        holm([0.5, p])


@given(p_lists, st.floats(0.001, 0.5))
def test_states_what_the_step_down_procedure_states(p_values: list[float], level: float) -> None:
    """Holm 1979 as written: step down while p is at most level / (hypotheses left)."""
    order = np.argsort(p_values, kind="stable")
    stated = set()
    for rank, place in enumerate(order):
        if p_values[place] * (len(p_values) - rank) > level:
            break
        stated.add(int(place))
    adjusted = holm(p_values)
    assert {i for i, p in enumerate(adjusted) if p is not None and p <= level} == stated


@given(p_lists)
def test_lies_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert adjusted is not None
        assert p <= adjusted <= min(1.0, p * len(p_values))


def test_false_statements_of_a_table_stay_at_the_level() -> None:
    rng = np.random.default_rng(61)
    tables = rng.random((4_000, 12))
    any_stated = [min(p for p in holm(list(row)) if p is not None) <= 0.05 for row in tables]
    assert 0.035 <= np.mean(any_stated) <= 0.065
    assert np.mean(tables.min(axis=1) <= 0.05) > 0.4


TRUE_RATIOS = np.array([0.8, 1.0, 1.6, 3.0, 1.1])


def suites(seed: int, repetitions: int, blocks: int, drift: float) -> list[GeometricMean]:
    """Every benchmark of every suite measured in its own experiment, with noise of its own."""
    rng = np.random.default_rng([seed, blocks])
    experiments = [
        experiment(rng, repetitions=repetitions, blocks=blocks, deviations=deviations, drift=drift)
        for deviations in ((0.015, 0.015), (0.03, 0.002), (0.005, 0.01), (0.02, 0.02), (0.01, 0.01))
    ]
    return [
        geometric_mean(
            [
                paired_ratio(true * values[index, 1], values[index, 0])
                for true, values in zip(TRUE_RATIOS, experiments, strict=True)
            ]
        )
        for index in range(repetitions)
    ]


@pytest.mark.parametrize("drift", [0.0, 0.04])
@pytest.mark.parametrize("blocks", [2, 3, 5])
def test_intervals_cover(blocks: int, drift: float) -> None:
    truth = float(np.exp(np.log(TRUE_RATIOS).mean()))
    covered = [
        mean.low <= truth <= mean.high  # type: ignore[operator]
        for mean in suites(51, 4_000, blocks, drift)
    ]
    assert 0.935 <= np.mean(covered) <= 0.975


def test_one_benchmark_is_its_own_mean() -> None:
    ratio = paired_ratio([1.0, 1.2, 1.1, 1.3], [2.0, 2.1, 2.0, 2.2])
    mean = geometric_mean([ratio])
    assert (mean.value, mean.low, mean.high, mean.p) == pytest.approx(
        (ratio.value, ratio.low, ratio.high, ratio.p)
    )


def test_inverse_ratios_have_the_inverse_mean() -> None:
    rng = np.random.default_rng(52)
    sides = np.exp(0.1 * rng.standard_normal((4, 2, 6)))
    one = geometric_mean([paired_ratio(a, b) for a, b in sides])
    other = geometric_mean([paired_ratio(b, a) for a, b in sides])
    assert one.low is not None
    assert one.high is not None
    assert (other.value, other.low, other.high) == pytest.approx(
        (1 / one.value, 1 / one.high, 1 / one.low)
    )


def test_one_ratio_without_interval_leaves_the_mean_without() -> None:
    mean = geometric_mean([paired_ratio([2.0, 2.2], [1.0, 1.0]), paired_ratio([8.0], [1.0])])
    assert mean.value == pytest.approx((np.sqrt(2.0 * 2.2) * 8) ** 0.5)
    assert (mean.low, mean.high, mean.p, mean.benchmarks) == (None, None, None, 2)


def test_no_ratios_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no ratios"):
        geometric_mean([])
