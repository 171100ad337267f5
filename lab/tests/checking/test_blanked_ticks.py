"""What is deleted from a program for the comparison is its ticks, all of them and nothing else."""

from __future__ import annotations

import pytest

from checking.blanked_ticks import deletions
from runfair.building.ticks import blanked
from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.catalogue.program import ProgramSource

PROGRAMS = [
    program
    for benchmark in benchmarks().values()
    for program in benchmark.programs
    if program.tier == STANDARD and benchmark.text.drive is None
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: f"{one.benchmark} {one.language}")
def test_ticks_and_nothing_else_are_deleted(program: ProgramSource) -> None:
    edits = deletions(program)
    assert edits
    for edit in edits:
        assert edit.old == (program.folder / edit.file).read_text(encoding="utf-8")
        kept = [line for line in edit.old.split("\n") if line not in gone(edit.old, edit.new)]
        assert kept == edit.new.split("\n")
        if not edit.file.endswith(".rs"):
            # What is left is what the lab blanks the ticks to, but for the empty lines.
            timed = blanked(edit.old, edit.file)
            assert filled(timed) == filled(edit.new)


def gone(old: str, new: str) -> set[str]:
    lines = set(old.split("\n")) - set(new.split("\n"))
    assert all(line.endswith(("tick", "tick *)")) or ".tick" in line for line in lines), lines
    return lines


def filled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]
