"""Amounts as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.catalogue.amount import parse_bytes, parse_length

UNITS_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


@pytest.mark.parametrize(
    ("text", "length_ns"),
    [
        ("25 ms", 25_000_000),
        ("1.5 s", 1_500_000_000),
        ("250us", 250_000),
        ("250 µs", 250_000),
        (" 7 ns ", 7),
        ("2 min", 120_000_000_000),
        ("0 ms", 0),
        ("0.1 ns", 0),
    ],
)
def test_lengths_of_time(text: str, length_ns: int) -> None:
    assert parse_length(text) == length_ns


@pytest.mark.parametrize(
    "text", ["", "25", "ms", "-1 ms", "1 h", "1 mss", "1,5 s", "1e3 ms", "ⅷ s"]
)
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(ValueError, match="not a length of time such as '25 ms'"):
        parse_length(text)


@pytest.mark.parametrize("digits", ["9" * 400, str(2**63)])
def test_longer_than_there_is_a_number_for(digits: str) -> None:
    with pytest.raises(ValueError, match="too large"):
        parse_length(f"{digits} ns")


@given(st.integers(0, 10**6), st.sampled_from(sorted(UNITS_NS)))
def test_whole_lengths_are_exact(count: int, unit: str) -> None:
    assert parse_length(f"{count} {unit}") == count * UNITS_NS[unit]


@given(st.integers(0, 2**40), st.sampled_from(["", " "]))
def test_whole_amounts_are_exact(count: int, space: str) -> None:
    assert parse_bytes(f"{count}{space}B") == count
    assert parse_bytes(f"{count % 1024}{space}GiB") == count % 1024 * 2**30
