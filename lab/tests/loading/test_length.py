"""Lengths and rates as the generator reads them."""

from __future__ import annotations

import pytest

from runfair.loading.load import length_text, rate_text


@pytest.mark.parametrize(
    ("length_ns", "text"),
    [
        (0, "0ns"),
        (1, "1ns"),
        (1_500, "1500ns"),
        (2_000, "2us"),
        (100_000_000, "100ms"),
        (1_500_000_000, "1500ms"),
        (90_000_000_000, "90s"),
        (120_000_000_000, "2m"),
        (7_200_000_000_000, "2h"),
    ],
)
def test_lengths_are_whole_numbers_of_their_unit(length_ns: int, text: str) -> None:
    assert length_text(length_ns) == text


@pytest.mark.parametrize(
    ("rate_per_s", "text"),
    [(1000, "1000"), (10_000.0, "10000"), (0.5, "0.5"), (1 / 3, "0.333333"), (1e9, "1000000000")],
)
def test_rates_have_six_decimals_and_no_exponent(rate_per_s: float, text: str) -> None:
    assert rate_text(rate_per_s) == text
