"""The functions of native programs and their instructions as text."""

from __future__ import annotations

from pathlib import PurePosixPath

from runfair.formats.instructions import FunctionInstructions
from runfair.wording.quantity import percent
from runfair.wording.text import brief

LONGEST_NAME = 80


def whole(instructions: float) -> str:
    """A number of instructions, rounded to a whole number."""
    return f"{instructions:,.0f}"


def function_name(one: FunctionInstructions) -> str:
    """The function's name. If it is unknown, the file name of the executable or library."""
    return brief(one.function, LONGEST_NAME) or brief(PurePosixPath(one.object).name, LONGEST_NAME)


def hottest_lines(one: FunctionInstructions) -> str:
    """The function's hottest lines with their shares. Empty if the lines are unknown."""
    return "  ".join(
        f"{brief(PurePosixPath(line.path).name, LONGEST_NAME)}:{line.line} {percent(line.share)}"
        for line in one.lines
    )
