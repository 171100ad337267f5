"""Amounts and limits as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.catalogue.amount import (
    parse_bytes,
    parse_length,
    parse_objective,
    parse_requirement,
)
from runfair.formats.service import SHARES, FailureLimit

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


@pytest.mark.parametrize(
    ("text", "percentile", "limit_ns"),
    [
        ("p99 < 25 ms", "p99", 25_000_000),
        ("p99.9<=1s", "p99_9", 10**9),
        ("  p50 < 250 us ", "p50", 250_000),
        ("p99.99 < 2 min", "p99_99", 120 * 10**9),
    ],
)
def test_objectives(text: str, percentile: str, limit_ns: int) -> None:
    found = parse_objective(text)
    assert (found.percentile, found.limit_ns) == (percentile, limit_ns)


@pytest.mark.parametrize(
    "text", ["", "p99", "p95 < 25 ms", "p99_9 < 1 s", "p99 > 25 ms", "mean < 25 ms", "p99 = 1 s"]
)
def test_what_is_no_objective(text: str) -> None:
    with pytest.raises(
        ValueError,
        match=(r"not an objective such as 'p99 < 25 ms'; the known percentiles are p50, p90"),
    ):
        parse_objective(text)


def test_requirements() -> None:
    assert parse_requirement("failed < 0.1%") == FailureLimit(failed_share=0.001)
    assert parse_requirement(" failed<=100 % ") == FailureLimit(failed_share=1.0)
    assert parse_requirement("p99 < 25 ms") == parse_objective("p99 < 25 ms")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("failed < 0%", "above 0% and at most 100%"),
        ("failed < 101%", "above 0% and at most 100%"),
        ("failed < 1", "such as 'failed < 0.1%'"),
        ("failed > 1%", "such as 'failed < 0.1%'"),
        ("errors < 1%", "not an objective such as"),
        ("p99 < 1%", "'1%' is not a length of time"),
    ],
)
def test_what_is_no_requirement(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_requirement(text)


def test_no_request_is_answered_in_no_time() -> None:
    with pytest.raises(ValueError, match="every answer takes some time"):
        parse_objective("p99 < 0 ms")
    with pytest.raises(ValueError, match="'soon' is not a length of time"):
        parse_objective("p99 < soon")


def test_every_percentile_that_is_reported_can_be_an_objective() -> None:
    for name in SHARES:
        assert parse_objective(f"{name.replace('_', '.')} < 1 s").percentile == name
