"""The output files of callgrind, valgrind's tool that counts instructions.

Format: valgrind's manual, "Callgrind Format Specification".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from runfair.formats.record import BrokenFile

UNKNOWN = "???"  # callgrind's name for what the debug information does not tell
INSTRUCTIONS = "Ir"  # the event "instruction read"
_HEADER = re.compile(r"(\w[\w ]*): *(.*)")
_NAME = re.compile(r"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=(?:\((\d+)\)(?: (.*))?|((?!\(\d).*))")
_CALLS = re.compile(r"calls=\d+ (?:[+-]?\d+|\*) ?")
_COST = re.compile(r"([+-]?\d+|\*)((?: \d+)*)")
# Names with equal keys in `_Reader.names` share their numbers.
_SPACES = {"ob": "ob", "cob": "ob", "fn": "fn", "cfn": "fn"}
_FILE_SPACE = "fl"
_MOST_DIGITS = 20  # digits of a number of 64 bits


class BrokenCallgrindFile(BrokenFile):
    """A file that is not a complete output file of callgrind, or one with other options."""


@dataclass(frozen=True)
class Place:
    """A line of source in a function. `object` is the path of the executable or library. `path` is
    the source file: another file than the function's own if the line was inlined. Unknown names are
    empty, and an unknown line is None."""

    object: str
    function: str
    path: str
    line: int | None


def read_callgrind(path: Path) -> Counter[Place]:
    """The number of instructions executed in each place, without the instructions of called
    functions. Raises BrokenCallgrindFile.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise BrokenCallgrindFile(path, f"the file cannot be read ({error.strerror})") from None
    reader = _Reader()
    # Only line feeds end lines. The name of a function may contain other separators.
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            reader.read(line)
        except ValueError as problem:
            raise BrokenCallgrindFile(path, f"line {number}: {problem}") from None
    if reader.total is None:
        raise BrokenCallgrindFile(
            path, "the file is incomplete, because callgrind did not finish it"
        )
    if reader.total != reader.instructions.total():
        raise BrokenCallgrindFile(
            path,
            f"the file states a total of {reader.total:,} instructions, but its lines add up "
            f"to {reader.instructions.total():,} instructions",
        )
    return reader.instructions


@dataclass
class _Reader:
    """The state between two lines. `names` has the numbered names, by their kind and number."""

    instructions: Counter[Place] = field(default_factory=Counter)
    total: int | None = None
    column: int | None = None  # of the instructions among the costs
    lines_only: bool = False  # a position is a line of source, and nothing else
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    line: int = 0
    after_call: bool = False

    def read(self, line: str) -> None:
        """Reads a line. Raises ValueError with the problem."""
        if self.after_call and not _COST.fullmatch(line):
            raise ValueError(
                "the line before this one begins a call, so this line must contain the costs "
                "of the call, but it does not"
            )
        if not line or line.startswith("#"):
            return
        if found := _COST.fullmatch(line):
            self._cost(found[1], found[2].split())
        elif found := _NAME.fullmatch(line):
            self._name(*found.groups())
        elif _CALLS.fullmatch(line):
            self.after_call = True
        elif found := _HEADER.fullmatch(line):
            self._header(found[1], found[2])
        else:
            raise ValueError("this line does not follow callgrind's format")

    def _header(self, key: str, value: str) -> None:
        if key == "events":
            events = value.split()
            if INSTRUCTIONS not in events:
                raise ValueError("the instructions were not counted")
            self.column = events.index(INSTRUCTIONS)
        elif key == "positions":
            self.lines_only = value.strip() == "line"
        elif key == "totals":
            # A file with several parts has several totals.
            self.total = (self.total or 0) + self._instructions(value.split())

    def _name(self, kind: str, number: str | None, name: str | None, plain: str | None) -> None:
        space = _SPACES.get(kind, _FILE_SPACE)
        if number is None:
            meant = plain or ""
        elif name is not None:
            self.names[space, number] = meant = name
        elif (space, number) in self.names:
            meant = self.names[space, number]
        else:
            raise ValueError(f"no name has the number {number}")
        if not kind.startswith("c"):
            self.current[space] = "" if meant == UNKNOWN else meant

    def _cost(self, position: str, costs: list[str]) -> None:
        if "fn" not in self.current:
            raise ValueError("the costs belong to no function")
        if not self.lines_only:
            raise ValueError("the file does not state the source lines to which its costs belong")
        self.line = self._moved(position)
        instructions = self._instructions(costs)
        if self.after_call:
            self.after_call = False  # these are the costs of the called function
            return
        place = Place(
            self.current.get("ob", ""),
            self.current["fn"],
            self.current.get(_FILE_SPACE, ""),
            self.line or None,
        )
        self.instructions[place] += instructions

    def _moved(self, position: str) -> int:
        if position == "*":
            return self.line
        moved = _number(position)
        line = self.line + moved if position[0] in "+-" else moved
        if line < 0:
            raise ValueError("the line has a negative number")
        return line

    def _instructions(self, costs: list[str]) -> int:
        """The instructions among the costs. Costs that are missing at the end are 0."""
        if self.column is None:
            raise ValueError("the events are unknown")
        return _number(costs[self.column]) if self.column < len(costs) else 0


def _number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)
