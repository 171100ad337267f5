"""Mutants: programs changed so that they do less than their contract asks (`mutants.toml`).

`./runfair verify --mutants` must refuse each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Record
from runfair.formats.toml import read_toml

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
    """Those that a program's folder lists. Raises UserMistake with file, line and key."""
    path = folder / FILE_NAME
    if not path.is_file():
        return []
    return [Mutant(folder, text) for text in read_toml(path, MutantsText).mutant]
