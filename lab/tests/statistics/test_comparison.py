"""Coverage and error rates of the comparison, by simulation, and its algebra.

The bounds are the ones promised: 93.5% to 97.5% for a nominal 95%, 10,000 repetitions (standard
error 0.2%).
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runfair.statistics.comparison import Ratio, paired_ratio, welch_ratio
from simulated.experiments import experiment

REPETITIONS = 10_000
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
    with pytest.raises(ValueError, match="partner"):
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
