"""Sudoku by exhaustive backtracking, cell after cell: langbench/sudoku/contract.md."""

from __future__ import annotations

from harness.python.harness import FNV_OFFSET, Options, UsageError, fnv1a, main, read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Set, Tuple

    Grid = List[List[int]]  # nine rows of nine digits, 0 for an empty cell
    Fits = Callable[[Grid, int, int], bool]

CELLS = 81


def solve(grid: Grid, cell: int, fits: Fits) -> bool:
    while cell < CELLS and grid[cell // 9][cell % 9] != 0:
        cell += 1
    if cell == CELLS:
        return True
    row = grid[cell // 9]
    column = cell % 9
    for digit in range(1, 10):
        if fits(grid, cell, digit):
            row[column] = digit
            if solve(grid, cell + 1, fits):
                return True
            row[column] = 0
    return False


def fits(grid: Grid, cell: int, digit: int) -> bool:
    row = cell // 9
    column = cell % 9
    if digit in grid[row]:
        return False
    for line in grid:
        if line[column] == digit:
            return False
    top = row - row % 3
    left = column - column % 3
    for i in range(top, top + 3):
        line = grid[i]
        for j in range(left, left + 3):
            if line[j] == digit:
                return False
    return True


def load(options: Options) -> List[Grid]:
    text = read_input(options.inputs[0]).decode("latin-1")
    # A last line that lacks its line feed is a line nevertheless.
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
    """Tell whether no given stands twice in a row, column or box; the search compares no givens.

    It is not made of `fits`: that would run the task's code before the first iteration.
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


def prepare(puzzles: List[Grid]) -> List[Grid]:
    return [[row.copy() for row in grid] for grid in puzzles]


def run(grids: List[Grid]) -> List[Grid]:
    for index, grid in enumerate(grids):
        if not solve(grid, 0, fits):
            raise bad_line(index, "the puzzle has no solution")
    return grids


def count(grids: List[Grid]) -> Tuple[List[Grid], Dict[str, int]]:
    counters = {"tries": 0, "placements": 0, "reads": 0}

    def counting_fits(grid: Grid, cell: int, digit: int) -> bool:
        row, column = divmod(cell, 9)
        top, left = row - row % 3, column - column % 3
        counters["tries"] += 1
        for held in (
            *grid[row],
            *(grid[i][column] for i in range(9)),
            *(grid[top + i][left + j] for i in range(3) for j in range(3)),
        ):
            counters["reads"] += 1
            if held == digit:
                return False
        counters["placements"] += 1  # a digit that fits is placed at once
        return True

    for index, grid in enumerate(grids):
        if not solve(grid, 0, counting_fits):
            raise bad_line(index, "the puzzle has no solution")
    return grids, counters


def digest(grids: List[Grid]) -> int:
    state = FNV_OFFSET
    for grid in grids:
        digits = "".join(str(digit) for row in grid for digit in row)
        state = fnv1a(f"{digits}\n".encode("ascii"), state)
    return state


if __name__ == "__main__":
    main(
        name="sudoku",
        workloads=("classic", "balanced"),
        inputs=1,
        load=load,
        prepare=prepare,
        run=run,
        count=count,
        digest=digest,
    )
