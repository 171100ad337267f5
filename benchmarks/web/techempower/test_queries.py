"""Tests the number of queries that a request asks for, in the programs of Python."""

from __future__ import annotations

import pytest

from runfair.conformance.row_rules import COUNTS
from web.techempower.python.domain.queries import count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            (query.rpartition("=")[2].replace("%2B", "+"), number)
            for query, number in COUNTS.items()
        ),
        ("9" * 5000, 500),
        ("-" + "9" * 5000, 1),
        ("0" * 5000 + "20", 20),
    ],
)
def test_a_text_states_a_number_of_queries(text: str, expected: int) -> None:
    assert count(text) == expected
