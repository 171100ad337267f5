"""Generates the input of the benchmark sudoku, as contract.md in this folder specifies.

    python -m langbench.sudoku.generate --workload balanced --seed 1 --puzzles 4 --tries 4000
        --output PATH

A puzzle is made from a random solution by emptying cells as long as the solution stays unique. Then
the symmetries of the game (bands, stacks, lines, digits, transposition) are applied at random,
until the benchmark's row-major search takes a suitable number of tries. Symmetries do not change
the numbers of givens and of solutions. All random numbers come from SplitMix64, so the same
arguments give the same bytes on every version of Python.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.python.harness import MASK_64, SplitMix64

WORKLOADS = ("classic", "balanced")
FEWEST_GIVENS = 22  # the study's range: Lion et al., USENIX ATC 2022, section 3
MOST_GIVENS = 27
# For puzzles with 22 givens, about one orientation in 300 is solved within 4,000 tries. With fewer
# than 1,000 tries, generating takes long, and the search is too small to be measured.
LEAST_TRIES = 1000
ORIENTATIONS = 300  # orientations of one puzzle that are tried before another puzzle is made

CELLS = 81
EVERY_DIGIT = 0b111111111
BOX = tuple(cell // 27 * 3 + cell % 9 // 3 for cell in range(CELLS))

Grid = list[int]  # 81 digits, row by row, 0 for an empty cell


class RequestError(ValueError):
    """A workload is unknown, or a number is out of range."""


class Board:
    """A grid as bit masks: digit d is bit d - 1."""

    def __init__(self, grid: Grid) -> None:
        self.rows = [0] * 9  # the digits that each line already contains
        self.columns = [0] * 9
        self.boxes = [0] * 9
        self.empty: list[tuple[int, int, int]] = []  # row, column and box, in row-major order
        for cell, digit in enumerate(grid):
            place = (cell // 9, cell % 9, BOX[cell])
            if digit == 0:
                self.empty.append(place)
            else:
                self.toggle(place, 1 << digit - 1)

    def toggle(self, place: tuple[int, int, int], bit: int) -> None:
        row, column, box = place
        self.rows[row] ^= bit
        self.columns[column] ^= bit
        self.boxes[box] ^= bit

    def free(self, place: tuple[int, int, int]) -> int:
        """The digits that fit into a cell, as bits."""
        row, column, box = place
        return EVERY_DIGIT & ~(self.rows[row] | self.columns[column] | self.boxes[box])


def puzzles(workload: str, seed: int, count: int, tries: int) -> list[str]:
    """Make `count` puzzles of 81 characters. The search of each takes at most `tries` tries.

    Raises RequestError if an argument is invalid.
    """
    return list(drawn(workload, seed, count, tries))


def drawn(workload: str, seed: int, count: int, tries: int) -> Iterator[str]:
    if workload not in WORKLOADS:
        raise RequestError(f"workload {workload!r} is unknown, choose from {', '.join(WORKLOADS)}")
    if not 0 <= seed <= MASK_64:
        raise RequestError(f"give a seed from 0 to 2^64 - 1, not {seed}")
    if count < 1:
        raise RequestError(f"ask for at least one puzzle, not {count}")
    if tries < LEAST_TRIES:
        raise RequestError(f"allow at least {LEAST_TRIES} tries, not {tries}")
    least = -(-tries // 4) if workload == "balanced" else 0
    random = SplitMix64(seed)
    for _ in range(count):
        givens = FEWEST_GIVENS + random.bounded(MOST_GIVENS - FEWEST_GIVENS + 1)
        puzzle = draw(random, givens, least, tries)
        yield "".join("." if digit == 0 else str(digit) for digit in puzzle)


def draw(random: SplitMix64, givens: int, least: int, most: int) -> Grid:
    """Draw a puzzle with this number of givens whose search takes between `least` and `most`
    tries."""
    while True:
        dug = dig(random, solution(random), givens)
        if dug is None:
            continue
        for _ in range(ORIENTATIONS):
            puzzle = oriented(random, dug)
            tries = search_tries(puzzle, most)
            if tries is not None and tries >= least:
                return puzzle


def solution(random: SplitMix64) -> Grid:
    """A random full grid."""
    grid = [0] * CELLS
    board = Board(grid)

    def fill(cell: int) -> bool:
        if cell == CELLS:
            return True
        place = board.empty[cell]
        for digit in shuffled(random, range(1, 10)):
            bit = 1 << digit - 1
            if board.free(place) & bit:
                board.toggle(place, bit)
                grid[cell] = digit
                if fill(cell + 1):
                    return True
                board.toggle(place, bit)
        return False

    fill(0)
    return grid


def dig(random: SplitMix64, full: Grid, givens: int) -> Grid | None:
    """Empty cells in random order as long as the solution stays unique.

    The result is None if more than `givens` are left after every cell was tried.
    """
    grid = full.copy()
    left = CELLS
    for cell in shuffled(random, range(CELLS)):
        if left == givens:
            break
        digit = grid[cell]
        grid[cell] = 0
        if solvable_without(grid, cell, digit):
            grid[cell] = digit
        else:
            left -= 1
    return grid if left == givens else None


def solvable_without(grid: Grid, cell: int, digit: int) -> bool:
    """Return whether there is a solution without this digit in this cell.

    If a solution with the digit is known, the result says whether there is a second solution.
    """
    board = Board(grid)
    banned = (cell // 9, cell % 9, BOX[cell])

    def solve() -> bool:
        fewest = 10
        for place in board.empty:
            free = board.free(place)
            if place == banned:
                free &= ~(1 << digit - 1)
            choices = free.bit_count()
            if choices < fewest:
                if choices == 0:
                    return False
                fewest, narrowest, bits = choices, place, free
                if choices == 1:
                    break
        if fewest == 10:
            return True
        board.empty.remove(narrowest)
        while bits:
            bit = bits & -bits
            board.toggle(narrowest, bit)
            if solve():
                return True
            board.toggle(narrowest, bit)
            bits ^= bit
        board.empty.append(narrowest)
        return False

    return solve()


def oriented(random: SplitMix64, grid: Grid) -> Grid:
    """The same puzzle, transformed by a random symmetry of the game."""
    transposed = random.bounded(2) == 1
    rows = shuffled_lines(random)
    columns = shuffled_lines(random)
    digits = [0, *shuffled(random, range(1, 10))]
    if transposed:
        return [digits[grid[9 * column + row]] for row in rows for column in columns]
    return [digits[grid[9 * row + column]] for row in rows for column in columns]


def shuffled(random: SplitMix64, elements: range) -> list[int]:
    order = list(elements)
    random.shuffle(order)
    return order


def shuffled_lines(random: SplitMix64) -> list[int]:
    """The nine rows (or columns) in a random order that keeps the rows of a band together."""
    bands = shuffled(random, range(3))
    return [line for band in bands for line in shuffled(random, range(3 * band, 3 * band + 3))]


def search_tries(grid: Grid, limit: int) -> int | None:
    """The number of tries that the contract's search of this puzzle takes; None if it exceeds
    `limit`.

    Raises ValueError if the puzzle has no solution.

    A visit of a cell tries nine digits, except for the last visit of each cell, which stops at the
    solution's digit. For the number of tries it is therefore enough to count visits, and masks find
    the few digits that fit.
    """
    board = Board(grid)
    rows, columns, boxes, cells = board.rows, board.columns, board.boxes, board.empty
    visits_allowed = (limit + 8 * len(cells)) // 9  # at most 8 tries are saved in each cell
    visits = 0
    saved = 0

    def solve(at: int) -> bool:
        nonlocal visits, saved
        if at == len(cells):
            return True
        visits += 1
        if visits > visits_allowed:
            return True
        row, column, box = cells[at]
        bits = EVERY_DIGIT & ~(rows[row] | columns[column] | boxes[box])
        while bits:
            bit = bits & -bits
            rows[row] |= bit
            columns[column] |= bit
            boxes[box] |= bit
            if solve(at + 1):
                saved += 9 - bit.bit_length()
                return True
            rows[row] ^= bit
            columns[column] ^= bit
            boxes[box] ^= bit
            bits ^= bit
        return False

    if not solve(0):
        raise ValueError("a puzzle without a solution has no number of tries")
    tries = 9 * visits - saved
    return tries if visits <= visits_allowed and tries <= limit else None


def write(path: Path, lines: list[str]) -> None:
    """Write a file atomically: even after a power cut it is either complete or missing."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with temporary.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def progress(total: int) -> Callable[[int], None]:
    """A function that shows the number of finished puzzles on a terminal."""

    def show(made: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if made == total else ""
            print(f"\rsudoku: {made} of {total} puzzles", end=end, file=sys.stderr, flush=True)

    return show


def main() -> None:
    parser = argparse.ArgumentParser(description="Make puzzles for the benchmark sudoku.")
    parser.add_argument("--workload", choices=WORKLOADS, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--puzzles", type=int, required=True, help="how many")
    parser.add_argument("--tries", type=int, required=True, help="the most of one search")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    show = progress(arguments.puzzles)
    made: list[str] = []
    try:
        for puzzle in drawn(arguments.workload, arguments.seed, arguments.puzzles, arguments.tries):
            made.append(puzzle)
            show(len(made))
        write(arguments.output, made)
    except (RequestError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
