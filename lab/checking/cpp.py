"""The C++ of the repository, as the programs that are linked from it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checking.sources import sources
from checking.step import Step, Words, command
from checking.toolchain import Toolchain
from runfair.catalogue.benchmark import RECIPE
from runfair.catalogue.program import ProgramRecipe
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS, REPOSITORY, private_folder

HARNESS = BENCHMARKS / "harness" / "cpp"
VECTORS = BENCHMARKS / "harness" / "vectors.json"
WARNINGS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror")
SANITIZERS = (
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-D_GLIBCXX_ASSERTIONS",
)


@dataclass(frozen=True)
class CppProgram:
    """`arguments`: what a program that tests itself is run with; None where it is only built.
    `kind`: what makes it something else than a program; `libraries`: what it is linked with."""

    name: str
    sources: tuple[Path, ...]
    arguments: tuple[str | Path, ...] | None = None
    kind: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def step(self, compiler: Toolchain, flags: tuple[str, ...] = ()) -> Step:
        """Built without a warning and, where it tests itself, run. Programs are linked, not
        only parsed: some warnings come from the optimiser, some errors from the linker."""
        folder = private_folder() / "check" / compiler.name / ("sanitized" if flags else "plain")
        folder.mkdir(parents=True, exist_ok=True)
        binary = folder / self.name.replace("/", "-")
        options: Words = [*WARNINGS, *flags, *self.kind, "-I", HARNESS, "-pthread", "-o", binary]
        build: Words = [compiler.path, *options, *self.sources, *self.libraries]
        run = [] if self.arguments is None else [[binary, *self.arguments]]
        marked = " under sanitizers" if flags else ""
        return command(f"C++ {self.name} by {compiler.name}{marked}", build, *run, needs=compiler)


def self_testing_programs() -> Iterator[CppProgram]:
    """The programs that test the harness."""
    yield CppProgram("vectors", (HARNESS / "vectors.cpp",), (VECTORS,))
    yield CppProgram("harness_test", (HARNESS / "harness_test.cpp",), ())


def built_programs(*, tiers: bool) -> Iterator[CppProgram]:
    """The lab's own programs, what other languages' harnesses load, and the benchmarks'; with those
    `tiers` that have recipes of their own, whose libraries take minutes to compile."""
    for name in ("launcher", "reference"):
        yield CppProgram(name, tuple(sources("*.cpp", root=REPOSITORY / "lab" / name)))
    for library in sources("*.cpp", root=BENCHMARKS / "harness" / "java"):
        yield CppProgram(f"java/{library.stem}", (library,), kind=("-shared", "-fPIC"))
    for folder in sorted((BENCHMARKS / "langbench").glob("*/cpp*")):
        if (files := sources("*.cpp", root=folder)) and (tiers or not (folder / RECIPE).is_file()):
            name = os.fspath(folder.relative_to(BENCHMARKS))
            yield CppProgram(name, tuple(files), libraries=_libraries(folder))


def _libraries(folder: Path) -> tuple[str, ...]:
    """Those that the recipe of a tier links; none where it has no recipe of its own."""
    path = folder / RECIPE
    if not path.is_file():
        return ()
    steps = read_toml(path, ProgramRecipe).build.steps
    return tuple(word for step in steps for word in step.run if word.startswith("-l"))
