"""The puzzles of an input."""

from __future__ import annotations

from harness.python.harness import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Set, Tuple

    Grid = List[List[int]]  # nine rows of nine digits, 0 for an empty cell

CELLS = 81


def read_puzzles(text: str) -> List[Grid]:
    """Read the puzzles of an input. Raises UsageError if a line is not a puzzle."""
    # The last line is a line even if it has no line feed.
    lines = (text[:-1] if text.endswith("\n") else text).split("\n")
    puzzles = []
    for index, line in enumerate(lines):
        if len(line) != CELLS or not set(line) <= set("123456789."):
            raise bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop")
        digits = [0 if character == "." else int(character) for character in line]
        grid = [digits[start : start + 9] for start in range(0, CELLS, 9)]
        if not consistent(grid):
            raise bad_line(index, "two givens contradict each other")
        puzzles.append(grid)
    return puzzles


def bad_line(index: int, what: str) -> UsageError:
    return UsageError(f"line {index + 1} of the input: {what}; make it with generate.py")


def consistent(grid: Grid) -> bool:
    """Return whether all givens differ in each row, column and box. The search itself does not
    compare givens.

    This function does not use `fits`, because that would run the task's code before the first
    iteration.
    """
    seen: Set[Tuple[str, object, int]] = set()
    for row, line in enumerate(grid):
        for column, digit in enumerate(line):
            box = row // 3, column // 3
            places = {("row", row, digit), ("column", column, digit), ("box", box, digit)}
            if digit != 0 and not places.isdisjoint(seen):
                return False
            seen |= places
    return True
