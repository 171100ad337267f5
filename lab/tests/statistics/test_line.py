"""A line through points that are known as ranges."""

from __future__ import annotations

from math import inf

import pytest

from runfair.statistics.line import line

PLACES = [1.0, 2.0, 4.0]


def exact(*heights: float) -> list[tuple[float, float]]:
    return [(one, one) for one in heights]


def test_exact_points_on_a_line_have_its_slope_and_intercept() -> None:
    found = line(PLACES, [5, 7, 11], exact(5, 7, 11))
    assert found.slope == pytest.approx((2, 2))
    assert found.intercept == pytest.approx((3, 3))
    assert found.straight


def test_ranges_of_points_give_ranges_of_lines() -> None:
    ranges = [(4.9, 5.1), (7.0, 7.0), (10.8, 11.2)]
    found = line(PLACES, [5, 7, 11], ranges)
    for first in ranges[0]:
        for last in ranges[2]:
            one = line(PLACES, [first, 7, last], exact(first, 7, last))
            assert found.slope[0] - 1e-9 <= one.slope[0] <= found.slope[1] + 1e-9
            assert found.intercept[0] - 1e-9 <= one.intercept[0] <= found.intercept[1] + 1e-9
    assert found.slope == pytest.approx((1.9, 2.1))


def test_curved_points_are_not_straight_unless_their_ranges_allow_it() -> None:
    assert not line(PLACES, [5, 7, 20], exact(5, 7, 20)).straight
    assert line(PLACES, [5, 7, 20], [(1, 6), (6, 12), (18, 22)]).straight
    assert line(PLACES, [5, 7, 20], exact(5, 7, 20)).steps == pytest.approx((2, 6.5))


def test_an_unknown_height_in_the_middle_does_not_change_the_slope() -> None:
    unknown = [(5.0, 5.0), (0.0, inf), (9.0, 9.0)]
    found = line([1, 2, 3], [5, 7, 9], unknown)
    assert found.slope == pytest.approx((2, 2))
    assert found.intercept[1] == inf
