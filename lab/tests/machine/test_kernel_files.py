from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.machine.kernel_files import (
    format_processors,
    parse_processors,
    read_number,
    read_processors,
    read_text,
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("", set()), ("0", {0}), ("0-2,5", {0, 1, 2, 5}), ("3, 1", {1, 3}), ("7-7\n", {7})],
)
def test_lists_of_processors_are_read(text: str, numbers: set[int]) -> None:
    assert parse_processors(text) == numbers


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(ValueError, match="one"):
        parse_processors("0,one")


@given(st.frozensets(st.integers(0, 300)))
def test_any_set_survives_being_written(numbers: frozenset[int]) -> None:
    assert parse_processors(format_processors(numbers)) == numbers


def test_ranges_are_as_short_as_can_be() -> None:
    assert format_processors([5, 0, 1, 2]) == "0-2,5"


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_text(tmp_path, "/proc/nothing") is None
    assert read_number(tmp_path, "nothing") is None
    assert read_processors(tmp_path, "nothing") is None
    (tmp_path / "words").write_text("max\n")
    assert read_text(tmp_path, "/words") == "max"
    assert read_number(tmp_path, "words") is None
