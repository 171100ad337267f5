"""A program's sources as a build needs them, and the mutants that verification must refuse.

A mutant (`mutants.toml`) does less than its contract demands. `./runfair verify --mutants` must
refuse every mutant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from runfair.catalogue.family import BuildRecipe, LogReason, RunRecipe
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS


class ProgramRecipe(Record):
    """The recipe of a program that is not built by its family's recipe: a service with its
    framework's dependencies, or a tier with a library.

    `unsupported` has texts; if the log of a failed build contains one of them, the program cannot
    be built on this machine. `minimum` is the oldest version of a runtime on which the program
    runs. `needs` has the settings of a variant without which the program does not run.
    """

    build: BuildRecipe
    run: RunRecipe
    unsupported: list[LogReason] = []
    minimum: str = ""
    needs: dict[str, Scalar] = {}


@dataclass(frozen=True)
class ProgramSource:
    """The sources of a benchmark's program in one language and tier. `folder` is absolute. `main`
    is the main class of a program in Java.

    `root` is the folder that contains `harness/` and, somewhere below, `folder`. `recipe` replaces
    the family's recipe if the program has its own. `ticked`: its source may contain tick lines
    (benchmarks/contract.md), so it is built from a staged copy; a service has no tick lines.
    `counted_by` "client": a library does the program's work. `absent` has the reason for each
    workload that the program lacks. `most_threads` is the greatest number of threads that it can
    use; None means that it can use as many as it is given. `minimum` is the oldest version that
    builds the program, and `needs` the settings of a variant without which it does not run.
    """

    suite: str
    benchmark: str
    language: str
    tier: str
    folder: Path
    main: str | None = None
    root: Path = BENCHMARKS
    recipe: ProgramRecipe | None = None
    ticked: bool = True
    counted_by: Literal["program", "client"] = "program"
    absent: Mapping[str, str] = field(default_factory=dict)
    most_threads: int | None = None
    minimum: str = ""
    needs: Mapping[str, Scalar] = field(default_factory=dict)

    def has(self, workload: str) -> bool:
        """Whether the program has this workload of its benchmark."""
        return workload not in self.absent

    @property
    def oldest(self) -> str:
        """The oldest version of a runtime that the program supports; empty if it supports every
        version.
        """
        return self.minimum or (self.recipe.minimum if self.recipe is not None else "")

    @property
    def name(self) -> str:
        """The name of the program's build folder, unique among the programs of one language."""
        return f"{self.suite}-{self.benchmark}-{self.tier}"

    @property
    def package(self) -> str:
        """The folder relative to the root, with slashes: the program's Go package."""
        return self.folder.resolve().relative_to(self.root.resolve()).as_posix()

    @property
    def module(self) -> str:
        """The Python module of the program, relative to the root."""
        return f"{self.package.replace('/', '.')}.{self.benchmark}"

    @property
    def crate(self) -> str:
        """The name of the program's Rust package."""
        return f"{self.suite}-{self.benchmark}" if self.tier == "standard" else self.name


FILE_NAME = "mutants.toml"


class Edit(Record):
    """A change of a source: in `file`, the text `old`, which occurs once, becomes `new`. The
    path of the file is relative to the program's folder, and does not leave the benchmark's folder.
    """

    file: str
    old: Annotated[str, Field(min_length=1)]
    new: str


class MutantText(Record):
    """One `[[mutant]]`.

    `kind` says what is wrong: the algorithm is replaced by a library call, a phase is left out, an
    answer is kept from an earlier iteration, or a tick counts wrongly. If `workload` and `form` are
    not stated, the benchmark's default workload and first form are used. `quick`: `./check` also
    runs the mutant.
    """

    name: str
    kind: Literal["library", "skipped", "cached", "tick"]
    edits: Annotated[list[Edit], Field(min_length=1)]
    workload: str = ""
    form: str = ""
    quick: bool = False


class MutantsText(Record):
    mutant: list[MutantText] = []


@dataclass(frozen=True)
class Mutant:
    """A mutant of the program in `folder`."""

    folder: Path
    text: MutantText


def mutants_of(folder: Path) -> Sequence[Mutant]:
    """The mutants that a program's folder lists. Raises UserMistake with file, line and key."""
    path = folder / FILE_NAME
    if not path.is_file():
        return []
    return [Mutant(folder, text) for text in read_toml(path, MutantsText).mutant]
