"""Sudoku by exhaustive backtracking, cell after cell: langbench/sudoku/contract.md."""

from __future__ import annotations

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main, read_input
from langbench.sudoku.python.puzzles import CELLS, bad_line, read_puzzles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

    from langbench.sudoku.python.puzzles import Grid

    Digits = List[int]
else:
    Digits = list


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tries = 0
        self.placements = 0
        self.reads = 0


counts = Counts()


def solve(grid: Grid, cell: int) -> bool:
    while cell < CELLS and grid[cell // 9][cell % 9] != 0:
        cell += 1
    if cell == CELLS:
        return True
    row = grid[cell // 9]
    column = cell % 9
    for digit in range(1, 10):
        counts.tries += 1  # tick
        if fits(grid, cell, digit):
            counts.placements += 1  # tick
            row[column] = digit
            if solve(grid, cell + 1):
                return True
            row[column] = 0
    return False


def fits(grid: Grid, cell: int, digit: int) -> bool:
    row = cell // 9
    column = cell % 9
    if digit in grid[row]:
        return False
    for line in grid:
        counts.reads += 1  # tick
        if line[column] == digit:
            return False
    top = row - row % 3
    left = column - column % 3
    for i in range(top, top + 3):
        line = grid[i]
        for j in range(left, left + 3):
            counts.reads += 1  # tick
            if line[j] == digit:
                return False
    return True


class CountedRow(Digits):
    """A row, used if operations are counted: the interpreter's own `in` cannot contain a tick
    line."""

    def __contains__(self, digit: object) -> bool:
        for held in self:
            counts.reads += 1  # tick
            if held == digit:
                return True
        return False


class Puzzles:
    """The state from which every iteration starts."""

    def __init__(self, grids: List[Grid], counting: bool) -> None:
        self.grids = grids
        self.counting = counting


def load(options: Options) -> Puzzles:
    text = read_input(options["input"]).decode("latin-1")
    return Puzzles(read_puzzles(text), "count" in options)


def prepare(puzzles: Puzzles) -> List[Grid]:
    if puzzles.counting:
        return [[CountedRow(row) for row in grid] for grid in puzzles.grids]
    return [[row.copy() for row in grid] for grid in puzzles.grids]


def run(grids: List[Grid]) -> List[Grid]:
    for index, grid in enumerate(grids):
        if not solve(grid, 0):
            raise bad_line(index, "the puzzle has no solution")
    return grids


def digest(grids: List[Grid]) -> int:
    state = FNV_OFFSET
    for grid in grids:
        digits = "".join(str(digit) for row in grid for digit in row)
        state = fnv1a(f"{digits}\n".encode("ascii"), state)
    return state


if __name__ == "__main__":
    main("sudoku", load, prepare, run, digest, counts=counts)
