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
    path = options.inputs[0]
    lines = read_input(path).decode("latin-1").split("\n")
    if lines[-1] == "":
        lines.pop()  # what follows the last line feed
    if not lines:
        raise UsageError(f"{path!r} has no puzzle: make one with generate.py")
    puzzles = []
    for number, line in enumerate(lines, 1):
        if len(line) != CELLS or not set(line) <= set("123456789."):
            raise unreadable(number, "is not 81 characters of 1 to 9 or .")
        digits = [0 if character == "." else int(character) for character in line]
        grid = [digits[start : start + 9] for start in range(0, CELLS, 9)]
        if contradicts(grid):
            raise unreadable(number, "has no solution")
        puzzles.append(grid)
    return puzzles


def unreadable(number: int, what: str) -> UsageError:
    return UsageError(f"line {number} of the input {what}: make the input with generate.py")


def contradicts(grid: Grid) -> bool:
    """Tell whether two givens of a row, column or box are equal: the search looks at none again."""
    seen: Set[Tuple[str, object, int]] = set()
    for row, line in enumerate(grid):
        for column, digit in enumerate(line):
            box = row // 3, column // 3
            places = {("row", row, digit), ("column", column, digit), ("box", box, digit)}
            if digit != 0 and not places.isdisjoint(seen):
                return True
            seen |= places
    return False


def prepare(puzzles: List[Grid]) -> List[Grid]:
    return [[row.copy() for row in grid] for grid in puzzles]


def run(grids: List[Grid]) -> List[Grid]:
    for number, grid in enumerate(grids, 1):
        if not solve(grid, 0, fits):
            raise unreadable(number, "has no solution")
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

    for number, grid in enumerate(grids, 1):
        if not solve(grid, 0, counting_fits):
            raise unreadable(number, "has no solution")
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
