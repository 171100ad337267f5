"""Axes have few, round ticks inside their range."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runfair.report.page.drawing import PADDED, log_scale, log_ticks, rounded, size_ticks

POSITIVE = st.floats(min_value=1e-3, max_value=1e15)


@given(POSITIVE, st.floats(min_value=1.0, max_value=1e6))
def test_ticks_lie_in_the_range_and_are_few(low: float, ratio: float) -> None:
    values = [low, low * ratio]
    for ticks in (log_ticks(values), size_ticks(values)):
        assert 1 <= len(ticks) <= 20
        assert ticks == sorted(set(ticks))
        assert all(low / PADDED * 0.99 <= tick <= low * ratio * PADDED * 1.01 for tick in ticks)


def test_ticks_are_round() -> None:
    assert log_ticks([0.5, 37]) == [0.5, 1, 2, 3, 5, 10, 20, 30]
    assert log_ticks([1e3, 9e8]) == [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]
    assert log_ticks([1.0, 1.02]) == [0.95, 1.0, 1.05, 1.1]
    assert size_ticks([1 << 20, 64 << 20]) == [float(n << 20) for n in (1, 2, 4, 8, 16, 32, 64)]
    assert size_ticks([38 << 20, 52 << 20]) == [float(n << 20) for n in (40, 45, 50, 55)]


def test_the_scale_holds_its_values() -> None:
    assert log_scale([2.0, 8.0])["domain"] == [2.0 / PADDED, 8.0 * PADDED]


@given(POSITIVE)
def test_four_digits_are_left(value: float) -> None:
    assert abs(rounded(value) / value - 1) <= 5e-4
