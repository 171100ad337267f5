"""Sources in a tree of their own: with ticks, without them, and changed into mutants."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runfair.building.failure import BuildFailed, TickRefused
from runfair.building.staged_sources import staged
from runfair.catalogue.program import FILE_NAME, Edit, ProgramSource

SOURCE = """\
func walk() {
	counts.steps++ // tick
	on()
}
"""
TIMED = SOURCE.replace("\tcounts.steps++ // tick", "")


@pytest.fixture(params=["programs", "[programs]"])
def program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> ProgramSource:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    root = tmp_path / request.param
    folder = root / "suite" / "walk" / "go"
    folder.mkdir(parents=True)
    (folder / "walk.go").write_text(SOURCE)
    (folder / "notes.txt").write_text("steps++ // tick\n")
    (root / "harness").mkdir()
    (root / "harness" / "harness.go").write_text("package harness\n")
    return ProgramSource("suite", "walk", "go", "standard", folder, root=root)


def stage(program: ProgramSource, *edits: Edit, counted: bool = False) -> Path:
    """The staged folder of the program."""
    patterns = ["{benchmarks}/harness/**", "{folder}/**"]
    values = {"benchmarks": str(program.root), "folder": str(program.folder)}
    made = staged(program, patterns, values, counted=counted, edits=edits)
    assert made.package == program.package
    assert (made.root / "harness" / "harness.go").read_text() == "package harness\n"
    return made.folder


def test_ticks_stand_in_the_counted_source_alone(program: ProgramSource) -> None:
    counted, timed = stage(program, counted=True), stage(program)
    assert (counted / "walk.go").read_text() == SOURCE
    assert (timed / "walk.go").read_text() == TIMED
    for folder in (counted, timed):  # no source of a language
        assert (folder / "notes.txt").read_text() == "steps++ // tick\n"


def test_without_ticks_both_are_one(program: ProgramSource) -> None:
    (program.folder / "walk.go").write_text(TIMED)
    assert stage(program, counted=True) == stage(program)


def test_the_place_changes_with_the_content_alone(program: ProgramSource) -> None:
    path = program.folder / "walk.go"
    first, counted = stage(program), stage(program, counted=True)
    os.utime(path, (1, 1))
    (program.folder / FILE_NAME).write_text("# mutants are no part of a program\n")
    assert stage(program) == first
    path.write_text(SOURCE.replace("on()", "on(1)"))
    assert stage(program) != first
    path.write_text(SOURCE.replace("steps++ // tick", "steps += 1 // tick"))
    assert stage(program) == first  # as it is timed, nothing has changed
    assert stage(program, counted=True) != counted
    path.rename(program.folder / "stroll.go")
    assert stage(program) != first


def test_an_edit_may_change_a_source_that_tiers_share(program: ProgramSource) -> None:
    shared = program.folder.parent / "shared" / "stroll.go"
    shared.parent.mkdir()
    shared.write_text("on()\n")
    values = {"folder": str(program.folder)}
    edit = Edit(file="../shared/stroll.go", old="on()", new="off()")
    patterns = ["{folder}/**", "{folder}/../shared/**"]
    made = staged(program, patterns, values, counted=True, edits=[edit])
    assert (made.folder.parent / "shared" / "stroll.go").read_text() == "off()\n"


def test_an_edit_makes_a_mutant_and_leaves_the_program(program: ProgramSource) -> None:
    edit = Edit(file="walk.go", old="on()", new="")
    mutant = stage(program, edit, counted=True)
    assert (mutant / "walk.go").read_text() == SOURCE.replace("on()", "")
    assert (program.folder / "walk.go").read_text() == SOURCE
    assert stage(program, counted=True) != mutant
    back = Edit(file="walk.go", old="{\n\tcounts", new="{\n\ton()\n\tcounts")
    both = stage(program, edit, back, counted=True)
    assert (both / "walk.go").read_text().count("on()") == 1


@pytest.mark.parametrize(
    ("edit", "times"),
    [
        (Edit(file="walk.go", old="off()", new=""), 0),
        (Edit(file="walk.go", old="\n", new=""), 4),
        (Edit(file="stroll.go", old="on()", new=""), 0),
        (Edit(file="../../../harness/harness.go", old="package", new=""), 0),
    ],
)
def test_an_edit_that_does_not_fit_once(program: ProgramSource, edit: Edit, times: int) -> None:
    with pytest.raises(BuildFailed) as failure:
        stage(program, edit)
    said = f"must occur exactly once in {edit.file}, but it occurs {times} times"
    assert said in str(failure.value)
    assert FILE_NAME in str(failure.value)
    assert not isinstance(failure.value, TickRefused)


def test_a_tick_that_lies_is_told_with_file_and_line(program: ProgramSource) -> None:
    edit = Edit(file="walk.go", old="steps++ // tick", new="steps += 137489 // tick")
    with pytest.raises(TickRefused, match=r"suite/walk/go/walk\.go, line 2: .* is not a valid"):
        stage(program, edit)
    # The counted build is refused alike: it would count for a source that is not timed.
    with pytest.raises(TickRefused):
        stage(program, edit, counted=True)
