"""A program's sources, as a build needs to know them, and the mutants that must be refused.

Mutants (`mutants.toml`) do less than their contract asks: `./runfair verify --mutants` must refuse
each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from runfair.catalogue.family import BuildRecipe, LogReason, RunRecipe
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS


class ProgramRecipe(Record):
    """How a program is built and run that does not follow its family's recipe: a service brings
    the dependencies of its framework, a tier those of its libraries. `unsupported`: what in the log
    of a failed build means that it cannot be built here; `minimum`: the oldest version of a runtime
    that it runs on; `needs`: the settings of a variant without which it does not run."""

    build: BuildRecipe
    run: RunRecipe
    unsupported: list[LogReason] = []
    minimum: str = ""
    needs: dict[str, Scalar] = {}


@dataclass(frozen=True)
class ProgramSource:
    """A benchmark in one language and tier. `folder` is absolute; `main` is Java's main class.

    `root` is the folder that holds `harness/` and, somewhere below, `folder`. `recipe` replaces the
    family's, if the program has its own. `ticked`: its source may hold tick lines
    (benchmarks/contract.md), so that it is built from a staged copy; services hold none.
    `counted_by` the client: a library does its work. `workloads`: those that it has; empty: all.
    `most_threads`: no more than so many are of use to it; None: as many as it is given. `minimum`:
    what its benchmark says of the oldest version that builds it.
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
    workloads: tuple[str, ...] = ()
    most_threads: int | None = None
    minimum: str = ""

    def has(self, workload: str) -> bool:
        """Whether the program has this workload of its benchmark."""
        return not self.workloads or workload in self.workloads

    @property
    def oldest(self) -> str:
        """The oldest version of a runtime that it is for; empty if it is for every one."""
        return self.minimum or (self.recipe.minimum if self.recipe is not None else "")

    @property
    def name(self) -> str:
        """Unique among programs of one language: what its build folder is called."""
        return f"{self.suite}-{self.benchmark}-{self.tier}"

    @property
    def package(self) -> str:
        """The folder relative to the root, with slashes: a Go package."""
        return self.folder.resolve().relative_to(self.root.resolve()).as_posix()

    @property
    def module(self) -> str:
        """The Python module of the program, relative to the root."""
        return f"{self.package.replace('/', '.')}.{self.benchmark}"

    @property
    def crate(self) -> str:
        """What the Rust package of the program is called."""
        return f"{self.suite}-{self.benchmark}" if self.tier == "standard" else self.name


FILE_NAME = "mutants.toml"


class Edit(Record):
    """`old`, which stands once in the program's `file`, becomes `new`."""

    file: str
    old: Annotated[str, Field(min_length=1)]
    new: str


class MutantText(Record):
    """One `[[mutant]]`. `kind`: the algorithm replaced by a library call, a phase left out, an
    answer kept from an earlier iteration, a tick that lies. Empty `workload` and `form`: the
    benchmark's default and its first. `quick`: `./check` runs it too."""

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
