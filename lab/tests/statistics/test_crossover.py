"""The crossover of simulated curves whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from runfair.statistics.crossover import Crossing, Range, crossover

PLACES = [1.0, 10.0, 100.0, 1000.0, 10_000.0]


def exact(of: Callable[[float], float]) -> list[Range]:
    return [(of(place), of(place)) for place in PLACES]


def task(place: float) -> float:
    """The time of a new task: a dear start, and work on all processors."""
    return 1000 + 2 * place


def worker(place: float) -> float:
    """The time of a worker: a cheap message, and work that waits for a sender."""
    return 100 + 3 * place


def limits(found: Crossing) -> tuple[float | None, float | None]:
    return found.low, found.high


def test_straight_lines_cross_exactly_where_they_are_equal() -> None:
    found = crossover(PLACES, exact(task), exact(worker))
    assert limits(found) == pytest.approx((900, 900))
    assert (found.below, found.above, found.several) == ("second", "first", False)


def test_the_order_of_the_curves_changes_only_their_names() -> None:
    found = crossover(PLACES, exact(worker), exact(task))
    assert limits(found) == pytest.approx((900, 900))
    assert (found.below, found.above) == ("first", "second")


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.15])
def test_the_limits_hold_the_truth_as_often_as_the_ranges_do(noise: float) -> None:
    """Ranges that miss their true height in 5% of the cases."""
    rng = np.random.default_rng(7)
    held, established = 0, 0
    for _ in range(400):
        new, sent = (_measured(rng, of, noise) for of in (task, worker))
        low, high = limits(crossover(PLACES, new, sent))
        held += (low or 0) <= 900 <= (high or inf)
        established += low is not None and high is not None
    assert held >= 0.95 * 400
    assert established > 0


def _measured(rng: np.random.Generator, of: Callable[[float], float], noise: float) -> list[Range]:
    found = []
    for place in PLACES:
        middle = of(place) * (1 + noise * rng.standard_normal())
        found.append((middle - 1.96 * noise * of(place), middle + 1.96 * noise * of(place)))
    return found


def widened(of: Callable[[float], float], share: float) -> list[Range]:
    return [(low * (1 - share), high * (1 + share)) for low, high in exact(of)]


def test_wider_ranges_give_wider_limits() -> None:
    last: Range = (900, 900)
    for share in (0.02, 0.05, 0.1):
        low, high = limits(crossover(PLACES, widened(task, share), widened(worker, share)))
        assert low is not None
        assert high is not None
        assert low < last[0] <= last[1] < high
        last = (low, high)


def test_curves_that_approach_each_other_have_no_upper_limit() -> None:
    """A worker is always cheaper by 900, which is less than the ranges of large pieces."""
    share = 0.05
    found = crossover(PLACES, widened(task, share), widened(lambda place: 100 + 2 * place, share))
    assert (found.below, found.above, found.high) == ("second", None, None)
    assert found.low is not None
    assert 1000 < found.low < 10_000
    turned = crossover([1.0, 2.0], [(5, 6), (1, 2)], [(5, 7), (8, 9)])
    assert (turned.below, turned.low, turned.above) == (None, None, "first")
    assert turned.high == pytest.approx(8 / 7)
    unlimited = crossover([1.0, 2.0], [(0, inf), (1, 2)], [(5, 7), (8, 9)])
    assert (unlimited.low, unlimited.high) == (None, 2)


LOW, HIGH, WIDE = (1.0, 2.0), (3.0, 4.0), (0.0, inf)


@pytest.mark.parametrize(
    ("first", "lower"),
    [((HIGH,) * 3, "second"), ((LOW,) * 3, "first"), ((HIGH, WIDE, HIGH), "second")],
)
def test_no_crossover_where_one_curve_is_lower_at_both_ends(
    first: tuple[Range, ...], lower: str
) -> None:
    second = [LOW if lower == "second" else HIGH] * 3
    found = crossover([1, 2, 3], first, second)
    assert found == Crossing(below=found.below, above=found.above)
    assert found.below == found.above == lower


def test_nothing_is_known_where_all_ranges_overlap_or_both_ends_do() -> None:
    assert crossover([1, 2, 3], [WIDE] * 3, [LOW] * 3) == Crossing()
    assert crossover([1, 2, 3], [WIDE, HIGH, WIDE], [LOW] * 3) == Crossing()


def test_a_place_where_the_ranges_overlap_widens_the_limits() -> None:
    found = crossover([1, 2, 3], [HIGH, WIDE, LOW], [LOW, LOW, HIGH])
    assert (found.below, found.above) == ("second", "first")
    assert limits(found) == pytest.approx((4 / 3, 3))
    # After the crossover, an overlap does not undo it.
    later = crossover([1, 2, 3], [HIGH, LOW, WIDE], [LOW, HIGH, HIGH])
    assert later.low is not None
    assert later.high is not None
    assert 1 < later.low < later.high < 2
    # Nor do overlaps at both ends.
    between = crossover([0, 1, 2, 3], [WIDE, HIGH, LOW, WIDE], [LOW, LOW, HIGH, HIGH])
    assert (between.below, between.above, between.several) == ("second", "first", False)
    assert between.low is not None and between.high is not None


def test_curves_that_cross_there_and_back() -> None:
    found = crossover([1, 2, 3], [HIGH, LOW, HIGH], [LOW, HIGH, LOW])
    assert found.several
    assert found.low is not None
    assert found.high is not None
    assert 1 < found.low < 2 < found.high < 3
