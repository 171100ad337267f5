"""The interval with the host as a random effect: its coverage on simulated fleets, and that of the
interval which forgets the hosts."""

from __future__ import annotations

import numpy as np
import pytest

from runfair.statistics.comparison import paired_ratio
from runfair.statistics.host_effect import HostPairs, between_hosts

TRUE_RATIO = 1.25
HOST_SD = 0.03  # hosts differ by 3%
PROCESS_SD = 0.015


def fleet(
    rng: np.random.Generator, hosts: int, pairs: tuple[int, ...], *, split: bool = False
) -> dict[str, HostPairs]:
    """A fleet whose hosts differ by 3% in their speed, and by 3% in the ratio itself. `split`
    takes the two sides of each pair from two hosts."""
    speeds = np.exp(rng.normal(0, HOST_SD, hosts))
    ratios = TRUE_RATIO * np.exp(rng.normal(0, HOST_SD, hosts))
    found = {}
    for host in range(hosts):
        count = pairs[host % len(pairs)]
        other = (host + 1) % hosts if split else host
        baseline = speeds[other] * np.exp(rng.normal(0, PROCESS_SD, count))
        variant = speeds[host] * ratios[host] * np.exp(rng.normal(0, PROCESS_SD, count))
        found[f"host{host}"] = HostPairs(tuple(variant), tuple(baseline))
    return found


def coverage(repetitions: int, hosts: int, pairs: tuple[int, ...]) -> float:
    rng = np.random.default_rng([22, hosts, *pairs])
    covered = 0
    for _ in range(repetitions):
        ratio = between_hosts(fleet(rng, hosts, pairs))
        assert ratio.low is not None
        assert ratio.high is not None
        covered += ratio.low <= TRUE_RATIO <= ratio.high
    return covered / repetitions


@pytest.mark.parametrize("pairs", [(4,), (4, 6, 10)], ids=["equal", "unequal"])
@pytest.mark.parametrize("hosts", [2, 4, 16])
def test_intervals_cover(hosts: int, pairs: tuple[int, ...]) -> None:
    assert 0.92 <= coverage(600, hosts, pairs) <= 0.98


@pytest.mark.long
@pytest.mark.parametrize("pairs", [(4,), (4, 6, 10)], ids=["equal", "unequal"])
@pytest.mark.parametrize("hosts", [2, 4, 16])
def test_intervals_cover_in_many_repetitions(hosts: int, pairs: tuple[int, ...]) -> None:
    found = coverage(10_000, hosts, pairs)
    print(f"{hosts} hosts, {pairs} pairs: {found:.1%}")
    assert 0.94 <= found <= 0.96


def test_an_interval_that_forgets_the_hosts_does_not_cover() -> None:
    """The liar: pairs of one host share its error, and count as independent."""
    rng = np.random.default_rng(23)
    covered = 0
    for _ in range(600):
        each = fleet(rng, 4, (10,)).values()
        ratio = paired_ratio(
            [value for one in each for value in one.variant],
            [value for one in each for value in one.baseline],
        )
        assert ratio.low is not None
        assert ratio.high is not None
        covered += ratio.low <= TRUE_RATIO <= ratio.high
    assert covered / 600 < 0.8


def test_pairs_that_are_split_over_hosts_widen_the_interval() -> None:
    """Within a host its speed cancels; between two it does not."""
    widths = {}
    for split in (False, True):
        rng = np.random.default_rng(24)
        found = [between_hosts(fleet(rng, 16, (4,), split=split)) for _ in range(200)]
        widths[split] = np.mean([np.log(one.high / one.low) for one in found if one.low])  # type: ignore[operator]
    assert widths[True] > 1.3 * widths[False]


def test_equal_hosts_give_the_t_interval_of_their_means() -> None:
    rng = np.random.default_rng(25)
    hosts = fleet(rng, 5, (6,))
    means = [
        float(np.exp(np.mean(np.log(one.variant) - np.log(one.baseline)))) for one in hosts.values()
    ]
    by_means = paired_ratio(means, [1.0] * 5)
    ratio = between_hosts(hosts)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(
        (by_means.value, by_means.low, by_means.high)
    )
    assert (ratio.pairs, ratio.degrees_of_freedom) == (30, 4)


def test_the_interval_on_these_hosts_covers_their_own_mean() -> None:
    """The hosts stay the same, and their deviations are no error."""
    rng = np.random.default_rng(27)
    covered = 0
    for _ in range(600):
        ratios = TRUE_RATIO * np.exp(rng.normal(0, HOST_SD, 4))
        hosts = {
            f"host{number}": HostPairs(
                tuple(ratio * np.exp(rng.normal(0, PROCESS_SD, 4))), (1.0,) * 4
            )
            for number, ratio in enumerate(ratios)
        }
        interval = between_hosts(hosts).on_these_hosts
        assert interval is not None
        covered += interval[0] <= np.exp(np.log(ratios).mean()) <= interval[1]
    assert 0.92 <= covered / 600 <= 0.98


def test_the_interval_on_these_hosts_is_that_of_the_pairs_without_the_hosts_deviations() -> None:
    each = {"a": [1.0, 1.1, 1.2, 1.3], "b": [1.0, 1.1, 1.2, 1.3]}
    one = between_hosts({name: HostPairs(values, [1.0] * 4) for name, values in each.items()})
    far = {"a": each["a"], "b": [4 * value for value in each["b"]]}
    other = between_hosts({name: HostPairs(values, [1.0] * 4) for name, values in far.items()})
    assert one.on_these_hosts is not None
    assert other.on_these_hosts is not None
    assert other.on_these_hosts == pytest.approx([2 * limit for limit in one.on_these_hosts])
    assert other.high is not None
    assert other.high > 100


def test_exchanging_the_sides_inverts_the_ratio() -> None:
    hosts = fleet(np.random.default_rng(26), 3, (2, 5))
    swapped = {name: HostPairs(one.baseline, one.variant) for name, one in hosts.items()}
    one, other = between_hosts(hosts), between_hosts(swapped)
    assert one.low is not None
    assert other.high is not None
    assert (one.value, one.low) == pytest.approx((1 / other.value, 1 / other.high))


def test_single_pairs_count_alike() -> None:
    ratio = between_hosts({"a": HostPairs([2.0], [1.0]), "b": HostPairs([8.0], [1.0])})
    assert ratio.value == pytest.approx(4.0)
    assert ratio.degrees_of_freedom == 1
    assert ratio.on_these_hosts is None


def test_hosts_without_any_spread_have_no_limits() -> None:
    same = HostPairs([2.0, 2.0], [1.0, 1.0])
    ratio = between_hosts({"a": same, "b": same})
    assert (ratio.value, ratio.low, ratio.high, ratio.p) == (2.0, None, None, None)


@pytest.mark.parametrize(
    ("hosts", "problem"),
    [
        ({"a": HostPairs([1.0], [1.0])}, "a single host"),
        ({"a": HostPairs([1.0], [1.0]), "b": HostPairs([1.0], [])}, "different lengths"),
        ({"a": HostPairs([1.0], [1.0]), "b": HostPairs([0.0], [1.0])}, "positive"),
    ],
)
def test_refuses_what_is_no_fleet(hosts: dict[str, HostPairs], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        between_hosts(hosts)
