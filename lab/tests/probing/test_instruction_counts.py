"""The tables of native programs' instructions."""

from __future__ import annotations

import pytest

from runfair.errors import UserMistake
from runfair.formats.callgrind import Place
from runfair.probing.instruction_counts import difference, instruction_table, valgrind

SORT = ("/program", "sort")
ONE = {
    Place(*SORT, "sort.cpp", 4): 100,
    Place(*SORT, "vector.h", 9): 20,
    Place("/ld.so", "load", "", None): 5_000,
}
# Three more iterations, of which each allocates.
MORE = {
    Place(*SORT, "sort.cpp", 4): 400,
    Place(*SORT, "vector.h", 9): 80,
    Place("/ld.so", "load", "", None): 5_000,
    Place("/libc.so", "malloc", "", None): 60,
}


def test_the_instructions_of_an_iteration_are_a_difference() -> None:
    table = difference(MORE, ONE, 3, "3.19.0")
    assert table.instructions == 140
    assert [(one.function, one.instructions) for one in table.functions] == [
        ("sort", 120),
        ("malloc", 20),
    ]


def test_lines_have_shares_of_their_function() -> None:
    first, second = difference(MORE, ONE, 3, "3.19.0").functions
    assert first.share == pytest.approx(120 / 140)
    assert [(one.path, one.line) for one in first.lines] == [("sort.cpp", 4), ("vector.h", 9)]
    assert [one.share for one in first.lines] == pytest.approx([100 / 120, 20 / 120])
    assert second.lines == []


def test_functions_of_one_name_in_two_objects_are_two_functions() -> None:
    counts = {Place("/one", "f", "", None): 2, Place("/two", "f", "", None): 3}
    assert [one.object for one in instruction_table(counts, "3.19.0").functions] == ["/two", "/one"]


def test_nothing_counted_is_an_empty_table() -> None:
    assert difference(ONE, ONE, 1, "3.19.0").functions == []


def test_without_valgrind_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserMistake, match=r"type as root: apt-get install valgrind$"):
        valgrind()
