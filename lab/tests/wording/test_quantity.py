"""Quantities as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.distribution import Unit
from runfair.formats.result import Bounds
from runfair.wording import quantity


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0123, "0.0123"),
        (0.8, "0.800"),
        (0.99951, "1.00"),
        (1, "1.00"),
        (1.614, "1.61"),
        (9.996, "10.0"),
        (93.08, "93.1"),
        (99.96, "100"),
        (136.6, "137"),
        (12345, "12,300"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert quantity.three_digits(value) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (12, "12.0 ns"),
        (999.6, "1.00 µs"),
        (61_200_000, "61.2 ms"),
        (5.7e9, "5.70 s"),
        (999.6e6, "1.00 s"),
        (4000e9, "4,000 s"),
        (0.2, "0.200 ns"),
    ],
)
def test_durations(ns: float, text: str) -> None:
    assert quantity.duration(ns) == text


def test_sizes_and_shares() -> None:
    assert quantity.size(24 * 2**30) == "24.0 GiB"
    assert quantity.size(1536) == "1.50 KiB"
    assert quantity.percent(0.0083) == "0.830%"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1_204_000_000, "ns", "1.20 s"),
        (1536, "bytes", "1.50 KiB"),
        (1536, "count", "1,540"),
        (2_500_000, "count", "2.50 million"),
        (0.25, "count", "0.250"),
        (0, "ns", "0 ns"),
        (0, "count", "0"),
    ],
)
def test_a_figure_in_its_unit(value: float, unit: Unit, text: str) -> None:
    assert quantity.in_unit(value, unit) == text


@pytest.mark.parametrize(
    ("bounds", "unit", "text"),
    [
        (None, "ns", "1.50 ms"),
        ((None, None), "ns", "1.50 ms"),
        ((None, 1.6e6), "ns", "≤ 1.60 ms"),
        ((1.4e6, None), "ns", "≥ 1.40 ms"),
        ((1.4e6, 1.6e9), "ns", "1.40 ms to 1.60 s"),
        ((0.0, 1.6e6), "ns", "0 ns to 1.60 ms"),
        ((None, 3 * 2**20), "bytes", "≤ 3.00 MiB"),
        ((1200, 2e6), "count", "1,200 to 2.00 million"),
    ],
)
def test_a_value_between_its_limits(bounds: Bounds | None, unit: Unit, text: str) -> None:
    assert quantity.bounded(1_500_000, bounds, unit) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (40, "40 s"), (720, "12 min"), (12600, "3.5 h")]
)
def test_rough_times(seconds: float, text: str) -> None:
    assert quantity.rough_time(seconds) == text


@given(st.floats(min_value=1e-2, max_value=1e12))
def test_what_is_shown_is_within_half_a_percent(value: float) -> None:
    shown = float(quantity.three_digits(value).replace(",", ""))
    assert shown == pytest.approx(value, rel=0.00501)
