import numpy as np
import pytest

from runfair.statistics.comparison import paired_ratio
from runfair.statistics.geometric_mean import GeometricMean, geometric_mean
from simulated.experiments import experiment

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
