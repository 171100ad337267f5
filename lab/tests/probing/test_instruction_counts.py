"""The tables of native programs' instructions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS
from runfair.errors import UserMistake
from runfair.formats.callgrind import BrokenCallgrindFile, Place
from runfair.probing.instruction_counts import (
    counted,
    instruction_table,
    per_iteration,
    read_counts,
    valgrind,
)

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
    found = per_iteration(MORE, ONE, 3, "3.19.0")
    table = found.iteration
    assert (found.iterations, found.outside, table.instructions) == (3, 4_980, 140)
    assert [(one.function, one.instructions) for one in table.functions] == [
        ("sort", 120),
        ("malloc", 20),
    ]


def test_lines_have_shares_of_their_function() -> None:
    first, second = per_iteration(MORE, ONE, 3, "3.19.0").iteration.functions
    assert first.share == pytest.approx(120 / 140)
    assert [(one.path, one.line) for one in first.lines] == [("sort.cpp", 4), ("vector.h", 9)]
    assert [one.share for one in first.lines] == pytest.approx([100 / 120, 20 / 120])
    assert second.lines == []


def test_functions_of_one_name_in_two_objects_are_two_functions() -> None:
    counts = {Place("/one", "f", "", None): 2, Place("/two", "f", "", None): 3}
    assert [one.object for one in instruction_table(counts, "3.19.0").functions] == ["/two", "/one"]


def test_nothing_counted_is_an_empty_table() -> None:
    assert per_iteration(ONE, ONE, 1, "3.19.0").iteration.functions == []


def test_without_valgrind_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserMistake, match=r"type as root: apt-get install valgrind$"):
        valgrind()


@pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="valgrind is missing: apt-get install valgrind"
)
def test_a_forked_process_is_counted_without_what_its_parent_did(tmp_path: Path) -> None:
    program = tmp_path / "forks"
    subprocess.run(["cc", "-O1", PROGRAMS / "forks.c", "-o", program], check=True)
    found = []
    for children in (0, 3):
        # A percent sign begins a format of valgrind's.
        folder = tmp_path / f"{children}%p"
        folder.mkdir()
        subprocess.run(counted(valgrind(), [str(program), str(children)], folder), check=True)
        counts = read_counts(folder)
        found.append(sum(n for place, n in counts.items() if place.function == "work"))
    alone, with_children = found
    assert with_children == 4 * alone > 0


def test_a_folder_without_counts_is_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenCallgrindFile, match="callgrind wrote no counts to this folder"):
        read_counts(tmp_path)
