"""Builds that several programs share, and tools that a program's own recipe wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from runfair.building import artefact
from runfair.building.artefact import build
from runfair.building.failure import BuildFailed, BuildHindered, Unsupported
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.family import BuildRecipe, Families, RunRecipe, Step
from runfair.catalogue.program import Edit, ProgramRecipe, ProgramSource
from runfair.catalogue.runtime import Discovery, discovered
from runfair.formats.variant import Variant
from runfair.paths import BENCHMARKS

Ready = Callable[..., Variant]
Program = Callable[[str], ProgramSource]

WHOLE = BuildRecipe(
    whole_suite=True,
    sources=["{benchmarks}/{suite}/squares/python/*"],
    steps=[Step(run=["cp", "-r", "{benchmarks}/{suite}", "{output}/all"])],
    product=["all/**/*.py"],
)


def shared_by(recipe: BuildRecipe, monkeypatch: pytest.MonkeyPatch) -> ProgramRecipe:
    """The recipe of programs whose build comes after this one; the catalogue has it, and a tool
    that is not here."""
    families, discovery = discovered()
    tool = families.tools["javac"].model_copy(
        update={"minimum": "9", "install": "install the joiner"}
    )
    more = families.model_copy(
        update={
            "shared": {**families.shared, "whole": recipe},
            "tools": {**families.tools, "joiner": tool},
        }
    )
    found: tuple[Families, Discovery] = (more, discovery)
    monkeypatch.setattr(artefact, "recently_discovered", lambda: found)
    return ProgramRecipe(
        build=BuildRecipe(after="whole", sources=[]),
        run=RunRecipe(command=["{executable}", "{shared}/all/squares/python/{benchmark}.py"]),
    )


def test_the_java_build_of_a_suite_has_the_sources_of_its_programs_alone() -> None:
    """It would compile a program in a folder `java…` whose libraries it does not have."""
    programs = [
        one for whole in benchmarks().values() for one in whole.programs if one.language == "java"
    ]
    joint = [one for one in programs if not one.recipe or one.recipe.build.after == "java-classes"]
    suites = {one.suite for one in joint}
    compiled = {
        source
        for pattern in discovered()[0].shared["java-classes"].sources
        if "{suite}" in pattern
        for suite in suites
        for source in BENCHMARKS.glob(
            pattern.removeprefix("{benchmarks}/").replace("{suite}", suite)
        )
        if source.parents[1] != BENCHMARKS / suite  # what the suite's programs share
    }
    assert {source.parent for source in compiled} == {one.folder for one in joint}
    assert compiled == {source for one in joint for source in one.folder.rglob("*.java")}
    assert len(suites) > 1 and len(programs) > len(joint)


def test_programs_of_a_suite_share_one_build(
    ready_variant: Ready, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = ready_variant("cpython")
    recipe = shared_by(WHOLE, monkeypatch)
    squares = replace(program("python"), recipe=recipe)
    cubes = replace(squares, benchmark="cubes")
    one, other = build(variant, squares), build(variant, cubes)
    assert one.files == other.files and one.sha256 == other.sha256
    assert one.command != other.command
    elsewhere = replace(cubes, suite="others")
    with pytest.raises(BuildFailed, match="could not build the others programs, which are compil"):
        build(variant, elsewhere)


def test_a_mutant_of_one_program_is_not_in_the_shared_build(
    ready_variant: Ready, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = ready_variant("cpython")
    squares = replace(program("python"), recipe=shared_by(WHOLE, monkeypatch))
    honest = build(variant, squares)
    lines = (squares.folder / "squares.py").read_text().splitlines()
    edit = Edit(file="squares.py", old=lines[-1], new=f"{lines[-1]}  # changed")
    mutant = build(variant, squares, edits=[edit])
    assert mutant.sha256 != honest.sha256
    assert build(variant, squares) == honest


def test_a_wrong_checksum_of_a_library_stops_the_build(
    ready_variant: Ready, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = (
        "sha256sum all/squares/python/squares.py >sums && echo >>all/squares/python/squares.py"
    )
    steps = [
        *WHOLE.steps,
        Step(run=["sh", "-c", another]),
        Step(run=["sha256sum", "--check", "--strict", "sums"]),
    ]
    recipe = shared_by(WHOLE.model_copy(update={"steps": steps}), monkeypatch)
    with pytest.raises(BuildFailed) as failure:
        build(ready_variant("cpython"), replace(program("python"), recipe=recipe))
    assert "WARNING: 1 computed checksum did NOT match; see " in str(failure.value)
    assert "\n" not in str(failure.value)
    assert not isinstance(failure.value, BuildHindered)


def test_a_tool_that_a_programs_recipe_wants_may_be_missing(
    ready_variant: Ready, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So its cells alone are not measured."""
    recipe = shared_by(WHOLE.model_copy(update={"tools": ["joiner"]}), monkeypatch)
    source = replace(program("python"), recipe=recipe)
    with pytest.raises(
        Unsupported, match=(r"^joiner 9 or newer is missing; install it with: install the joiner$")
    ):
        build(ready_variant("cpython"), source)
