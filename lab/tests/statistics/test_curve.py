"""The knee of a curve whose shape is known."""

import pytest

from runfair.statistics.curve import Point, curve

RATES = (100, 200, 300, 400, 500, 600, 700, 800, 900, 950)


def queue(rate: float) -> Point:
    """A mean of M/M/1 with a capacity of 1,000/s."""
    return Point(rate, rate, 1e9 / (1_000 - rate))


def test_the_knee_of_a_queue_is_half_its_capacity() -> None:
    found = curve([queue(rate) for rate in reversed(RATES)])
    assert (found.knee_per_s, found.saturated_from_per_s, found.reason) == (500, None, "")


def test_saturated_rates_are_no_part_of_the_curve() -> None:
    points = [Point(rate, min(rate, 1_000), 1e6) for rate in (400, 800, 1_000, 1_200, 1_600)]
    found = curve(points)
    assert (found.knee_per_s, found.saturated_from_per_s) == (1_000, 1_200)
    assert curve([Point(rate, rate / 2, 1e6) for rate in RATES]).reason.startswith("saturated")


def test_a_rate_that_is_nearly_reached_is_kept_up_with() -> None:
    assert Point(1_000, 990, 1).keeps_up
    assert not Point(1_000, 989, 1).keeps_up


@pytest.mark.parametrize(
    ("rates", "reason"),
    [
        ((100, 200, 300), "a curve needs 4"),
        ((100, 200, 300, 400), "measure higher"),
        ((600, 700, 800, 900), "measure lower"),
    ],
)
def test_says_what_the_rates_do_not_show(rates: tuple[int, ...], reason: str) -> None:
    found = curve([queue(rate) for rate in rates])
    assert found.knee_per_s is None
    assert reason in found.reason


def test_refuses_what_is_no_curve() -> None:
    with pytest.raises(ValueError, match="one point a rate"):
        curve([queue(100), queue(100)])
    with pytest.raises(ValueError, match="positive"):
        curve([Point(100, 100, 0)])
