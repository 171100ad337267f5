"""The number of instructions that native programs execute, counted by valgrind's tool callgrind.

Callgrind executes the program itself, one translated block after the other, and counts each
instruction. The program is not modified. The counts do not depend on what else the machine does.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.callgrind import BrokenCallgrindFile, Place, read_callgrind
from runfair.formats.instructions import (
    FunctionInstructions,
    InstructionCounts,
    InstructionTable,
    IterationInstructions,
    LineInstructions,
)
from runfair.formats.place import LOCAL
from runfair.formats.variant import Variant

NATIVE_LANGUAGES = ("c++", "rust")
# Families of native programs that valgrind cannot execute, with the reason.
NOT_COUNTED = {
    "go": (
        "valgrind's tool callgrind, which would count the instructions, ends with an internal "
        "error when Go's runtime handles a signal"
    )
}
VALGRIND = "valgrind"
INSTALL = "apt-get install valgrind"
MOST_LINES = 3  # lines shown for a function
COUNTED_EXECUTIONS = 2  # their difference are the instructions of an iteration
COUNTS = "callgrind"  # the beginning of the names of callgrind's files
# The functions that fork. Since glibc 2.34, `fork` calls `_Fork`.
FORKS = ("fork", "_Fork")


def can_be_counted(place: str, variant: Variant) -> bool:
    """Whether the instructions of the variant's programs can be counted on this machine."""
    return (
        variant.language in NATIVE_LANGUAGES
        and place == LOCAL
        and shutil.which(VALGRIND) is not None
    )


def valgrind() -> str:
    """The path of valgrind. Raises UserMistake if valgrind is missing."""
    found = shutil.which(VALGRIND)
    if found is None:
        raise UserMistake(
            f"valgrind, which counts the instructions of native programs, is missing; type as "
            f"root: {INSTALL}"
        )
    return found


def valgrind_version(executable: str) -> str:
    """The version, such as `3.19.0`."""
    printed = subprocess.run(
        [executable, "--version"], check=True, capture_output=True, text=True
    ).stdout
    return printed.strip().removeprefix("valgrind-")


def counted(executable: str, command: Sequence[str], folder: Path) -> list[str]:
    """The command that executes `command` under callgrind. Each process writes its counts to files
    of its own in `folder`.
    """
    return [
        executable,
        "--quiet",
        "--tool=callgrind",
        # Otherwise a function that calls itself has a second name.
        "--separate-recs=1",
        # A forked process inherits the counts of its parent. Therefore the parent writes its counts
        # to a file before the fork, and begins again at 0.
        *(f"--dump-before={function}" for function in FORKS),
        # A percent sign begins a format of valgrind's, such as %p for the process ID.
        f"--callgrind-out-file={str(folder / COUNTS).replace('%', '%%')}.%p",
        *command,
    ]


def read_counts(folder: Path) -> Counter[Place]:
    """The number of instructions that all processes executed in each place. Raises
    BrokenCallgrindFile.
    """
    files = sorted(folder.glob(f"{COUNTS}.*"))
    if not files:
        raise BrokenCallgrindFile(folder, "callgrind wrote no counts to this folder")
    counts = Counter[Place]()
    for file in files:
        counts.update(read_callgrind(file))
    return counts


def by_place(counts: InstructionCounts) -> Counter[Place]:
    """The stored counts, as `read_counts` returned them."""
    return Counter({one.place: one.instructions for one in counts.places})


def per_iteration(
    more: Mapping[Place, int], one: Mapping[Place, int], iterations: int, version: str
) -> IterationInstructions:
    """The instructions per iteration: those of an execution with `iterations` more iterations, less
    those of an execution with one iteration.
    """
    table = instruction_table(
        {
            place: (more.get(place, 0) - one.get(place, 0)) / iterations
            for place in {**more, **one}
            if more.get(place, 0) != one.get(place, 0)
        },
        version,
    )
    return IterationInstructions(
        iterations=iterations,
        outside=sum(one.values()) - table.instructions,
        iteration=table,
    )


def instruction_table(counts: Mapping[Place, float], version: str) -> InstructionTable:
    """The table of the functions of these places, counted under this version of valgrind."""
    functions: dict[tuple[str, str], dict[Place, float]] = {}
    for place, count in counts.items():
        functions.setdefault((place.object, place.function), {})[place] = count
    total = sum(counts.values())
    table = [_function(places, total) for places in functions.values()]
    return InstructionTable(
        valgrind=version,
        instructions=total,
        functions=sorted(table, key=lambda one: (-one.instructions, one.function, one.object)),
    )


def _function(places: Mapping[Place, float], total: float) -> FunctionInstructions:
    own = sum(places.values())
    known = [place for place in places if place.path and place.line is not None]
    hottest = sorted(known, key=lambda place: (-places[place], place.path, place.line))
    first = next(iter(places))
    return FunctionInstructions(
        function=first.function,
        object=first.object,
        instructions=own,
        share=_share(own, total),
        lines=[
            LineInstructions(path=place.path, line=place.line, share=_share(places[place], own))
            for place in hottest[:MOST_LINES]
            if place.line is not None
        ],
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
