"""The instructions that a native program executes, counted under valgrind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.callgrind import Place
from runfair.formats.record import Record


class CountedPlace(Record):
    """The number of instructions that an execution executed in a place."""

    place: Place
    instructions: int


class InstructionCounts(Record):
    """The instructions of all processes of one execution, counted under the version `valgrind`."""

    valgrind: str
    places: list[CountedPlace]


class LineInstructions(Record):
    """A line's share of the instructions of a function. The line of an inlined function has the
    path of its own file."""

    path: str
    line: int
    share: float


class FunctionInstructions(Record):
    """The instructions of a function, without the functions that it calls. `object` is the path of
    the executable or library. The name is empty if the object has no symbol for the function.
    `lines` are the hottest lines; the list is empty if the object has no line information."""

    function: str
    object: str
    instructions: float
    share: float
    lines: list[LineInstructions] = []


class InstructionTable(Record):
    """The instructions by function, the hottest function first, counted under the version
    `valgrind`. If a table is the difference of two executions, a function of the start-up may have
    a negative number."""

    valgrind: str
    instructions: float
    functions: list[FunctionInstructions]


class IterationInstructions(Record):
    """The instructions of a native program. `iteration` has the instructions per iteration: the
    difference between an execution with `iterations` more iterations and an execution with one
    iteration, divided by `iterations`. `outside` is the number of instructions before and after
    the iterations of an execution."""

    iterations: Annotated[int, Field(gt=0)]
    outside: float
    iteration: InstructionTable


class InstructionResult(IterationInstructions):
    """The result of `./runfair probe` for a native program."""

    schema_version: Literal[1] = 1
    command: list[str]
    variant: str
