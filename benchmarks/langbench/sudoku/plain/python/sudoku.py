"""The contract's pseudocode on nine rows of nine ints, in Python 3.6 (sudoku/contract.md)."""

from harness.python.harness import FNV_OFFSET, Options, UsageError, fnv1a, main, read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

    Grid = List[List[int]]


class Counts:
    def __init__(self) -> None:
        self.tries = 0
        self.placements = 0
        self.reads = 0


counts = Counts()


def solve(grid: "Grid", cell: int) -> bool:
    while cell < 81 and grid[cell // 9][cell % 9] != 0:
        cell += 1
    if cell == 81:
        return True
    for digit in range(1, 10):
        counts.tries += 1  # tick
        if fits(grid, cell, digit):
            grid[cell // 9][cell % 9] = digit
            counts.placements += 1  # tick
            if solve(grid, cell + 1):
                return True
            grid[cell // 9][cell % 9] = 0
    return False


def fits(grid: "Grid", cell: int, digit: int) -> bool:
    row = cell // 9
    column = cell % 9
    for i in range(9):
        counts.reads += 1  # tick
        if grid[row][i] == digit:
            return False
    for i in range(9):
        counts.reads += 1  # tick
        if grid[i][column] == digit:
            return False
    top = row - row % 3
    left = column - column % 3
    for i in range(3):
        for j in range(3):
            counts.reads += 1  # tick
            if grid[top + i][left + j] == digit:
                return False
    return True


def load(options: Options) -> "List[Grid]":
    text = read_input(options["input"]).decode("latin-1")
    if text.endswith("\n"):
        text = text[:-1]
    return [parse(line, index) for index, line in enumerate(text.split("\n"))]


def parse(line: str, index: int) -> "Grid":
    if len(line) != 81 or any(character not in "123456789." for character in line):
        raise bad_line(index, "a puzzle is 81 characters of 1 to 9 or a full stop")
    digits = [int(character) for character in line.replace(".", "0")]
    grid = [digits[9 * row : 9 * row + 9] for row in range(9)]
    for cell in range(81):
        if digits[cell] != 0 and not stands_alone(grid, cell // 9, cell % 9):
            raise bad_line(index, "two givens contradict each other")
    return grid


def stands_alone(grid: "Grid", row: int, column: int) -> bool:
    """Return whether a given digit occurs only once in its row, column and box."""
    for i in range(9):
        for j in range(9):
            same_box = i // 3 == row // 3 and j // 3 == column // 3
            itself = i == row and j == column
            sees = i == row or j == column or same_box
            if sees and not itself and grid[i][j] == grid[row][column]:
                return False
    return True


def bad_line(index: int, what: str) -> UsageError:
    return UsageError(f"line {index + 1} of the input: {what}; make it with generate.py")


def prepare(puzzles: "List[Grid]") -> "List[Grid]":
    return [[list(row) for row in grid] for grid in puzzles]


def run(grids: "List[Grid]") -> "List[Grid]":
    for index, grid in enumerate(grids):
        if not solve(grid, 0):
            raise bad_line(index, "the puzzle has no solution")
    return grids


def digest(grids: "List[Grid]") -> int:
    state = FNV_OFFSET
    for grid in grids:
        line = "".join(str(digit) for row in grid for digit in row)
        state = fnv1a((line + "\n").encode("ascii"), state)
    return state


if __name__ == "__main__":
    main("sudoku", load, prepare, run, digest, counts=counts, tier="plain")
