from __future__ import annotations

import pytest

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import count, duration, metric, number


@pytest.mark.parametrize(
    ("text", "value_ns", "step_ns"),
    [
        ("497.37us", 497_370, 10),
        ("0.7109 secs", 710_900_000, 100_000),
        ("2s", 2e9, 1e9),
        ("1m2.5s", 62.5e9, 1e8),
        ("2.24ms", 2.24e6, 1e4),
        ("12 µs", 12_000, 1_000),
        ("1.5h", 5_400e9, 360e9),
    ],
)
def test_durations(text: str, value_ns: float, step_ns: float) -> None:
    found = duration(text)
    assert found is not None
    assert found.value == pytest.approx(value_ns)
    assert found.step == pytest.approx(step_ns)


@pytest.mark.parametrize("text", ["", "s", "2", "2 parsecs", "-2s", "2s ago", "2s,", "1e9s"])
def test_what_is_no_duration(text: str) -> None:
    assert duration(text) is None


def test_a_bare_number_counts_in_the_unit_it_is_of() -> None:
    found = duration("0.0024", "s")
    assert found is not None
    assert found.value == pytest.approx(2.4e6)
    assert duration("-1", "s") is None


def test_numbers() -> None:
    assert count("1,234,567") == 1_234_567
    assert count("9" * 30) is None
    assert metric("36.50k") == 36_500
    assert number("1.50e-05", 1e9) is not None
    assert number("1.2.3") is None
    assert number("9" * 400) is None


@pytest.mark.parametrize("found", [True, None, [], "x", float("nan"), float("inf"), 10**400])
def test_members_that_are_no_numbers(found: object) -> None:
    assert document.number({"a": [found]}, "a", 0) is None
    assert document.numbers([1, found]) is None


def test_members_are_looked_up_without_raising() -> None:
    value = {"a": [{"b": "2.5"}]}
    assert document.number(value, "a", 0, "b") == 2.5
    assert document.at(value, "a", 7, "b") is None
    assert document.at(value, "a", "b") is None
    assert document.count(value, "a", 0, "b") is None
    assert document.time_ns(1e3, {"t": -1}, "t") is None


def test_documents_do_not_begin_inside_of_one_another() -> None:
    text = 'x {"no": 1}\n{"a":\n{"b": [\n1]}}\n[2]\n{"cut": '
    assert [each.value for each in document.documents(text)] == [{"a": {"b": [1]}}, [2]]
    assert list(document.documents("[" * 100_000)) == []
