"""Eight queens, ten times. The answer is how often all of them found a place."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

SIZE = 8
TIMES = 10


class Queens(Benchmark):
    __slots__ = ("free_rows", "free_maxs", "free_mins", "queen_rows")

    def once(self) -> int:
        solved = 0
        for _ in range(TIMES):
            if self.queens():
                solved += 1
        return solved

    def queens(self) -> bool:
        self.free_rows = [True] * SIZE
        self.free_maxs = [True] * (2 * SIZE)
        self.free_mins = [True] * (2 * SIZE)
        self.queen_rows = [-1] * SIZE
        return self.place_queen(0)

    def place_queen(self, column: int) -> bool:
        for row in range(SIZE):
            counts.steps += 1  # tick
            if self.is_free(row, column):
                self.queen_rows[row] = column
                self.set_free(row, column, False)
                if column == SIZE - 1 or self.place_queen(column + 1):
                    return True
                self.set_free(row, column, True)
        return False

    def is_free(self, row: int, column: int) -> bool:
        return (
            self.free_rows[row]
            and self.free_maxs[column + row]
            and self.free_mins[column - row + SIZE - 1]
        )

    def set_free(self, row: int, column: int, free: bool) -> None:
        self.free_rows[row] = free
        self.free_maxs[column + row] = free
        self.free_mins[column - row + SIZE - 1] = free
