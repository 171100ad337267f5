"""The pseudocode of the contracts, transcribed literally. The transcription is slow, and can be
checked by reading."""

from __future__ import annotations

MASK = 2**64 - 1


def fnv1a(data: bytes) -> str:
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return f"{h:016x}"


class SplitMix64:
    def __init__(self, seed: int) -> None:
        self.s = seed

    def next(self) -> int:
        self.s = (self.s + 0x9E3779B97F4A7C15) & MASK
        z = self.s
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def bounded(self, n: int) -> int:
        return (self.next() >> 32) % n


class Sorting:
    """The pseudocode of sort/contract.md, transcribed literally."""

    def __init__(self, workload: str, letters: int, length: int, seed: int) -> None:
        def word(number: int) -> str:
            digits = [number // letters**place % letters for place in reversed(range(length))]
            return "".join(chr(ord("a") + digit) for digit in digits)

        n = letters**length
        random = SplitMix64(seed)
        self.comparisons = self.swaps = 0
        if workload == "classic":
            self.x = [word(n - 1 - p) for p in range(n)]
        elif workload == "shuffled":
            self.x = [word(p) for p in range(n)]
            for i in range(n - 1, 0, -1):
                j = random.bounded(i + 1)
                self.x[i], self.x[j] = self.x[j], self.x[i]
        else:
            self.x = [word(random.bounded(min(64, n))) for _ in range(n)]

    def sort(self, lo: int, hi: int) -> None:
        if hi - lo > 1:
            middle = lo + (hi - lo) // 2
            work = lo + hi - middle
            self.sort_into(lo, middle, work)
            while work - lo > 2:
                end = work
                work = lo + (end - lo + 1) // 2
                self.sort_into(work, end, lo)
                self.merge(lo, lo + end - work, end, hi, work)
            for first in range(work, lo, -1):
                at = first
                while at < hi and self.less(self.x[at], self.x[at - 1]):
                    self.swap(at, at - 1)
                    at = at + 1

    def sort_into(self, lo: int, hi: int, work: int) -> None:
        if hi - lo > 1:
            middle = lo + (hi - lo) // 2
            self.sort(lo, middle)
            self.sort(middle, hi)
            self.merge(lo, middle, middle, hi, work)
        elif lo < hi:
            self.swap(lo, work)

    def merge(self, a: int, a_end: int, b: int, b_end: int, work: int) -> None:
        while a < a_end and b < b_end:
            if self.less(self.x[a], self.x[b]):
                self.swap(work, a)
                a = a + 1
            else:
                self.swap(work, b)
                b = b + 1
            work = work + 1
        while a < a_end:
            self.swap(work, a)
            a, work = a + 1, work + 1
        while b < b_end:
            self.swap(work, b)
            b, work = b + 1, work + 1

    def less(self, p: str, q: str) -> bool:
        self.comparisons += 1
        return p < q

    def swap(self, i: int, j: int) -> None:
        self.swaps += 1
        self.x[i], self.x[j] = self.x[j], self.x[i]


class Solving:
    """The pseudocode of sudoku/contract.md, transcribed literally."""

    def __init__(self, puzzle: str) -> None:
        digits = [0 if character == "." else int(character) for character in puzzle]
        self.grid = [digits[9 * row : 9 * row + 9] for row in range(9)]
        self.tries = self.placements = self.reads = 0

    def solve(self, cell: int) -> bool:
        while cell < 81 and self.grid[cell // 9][cell % 9] != 0:
            cell = cell + 1
        if cell == 81:
            return True
        for digit in range(1, 10):
            self.tries += 1
            if self.fits(cell, digit):
                self.grid[cell // 9][cell % 9] = digit
                self.placements += 1
                if self.solve(cell + 1):
                    return True
                self.grid[cell // 9][cell % 9] = 0
        return False

    def holds(self, row: int, column: int, digit: int) -> bool:
        self.reads += 1
        return self.grid[row][column] == digit

    def fits(self, cell: int, digit: int) -> bool:
        row, column = cell // 9, cell % 9
        for i in range(9):
            if self.holds(row, i, digit):
                return False
        for i in range(9):
            if self.holds(i, column, digit):
                return False
        top, left = row - row % 3, column - column % 3
        for i in range(3):
            for j in range(3):
                if self.holds(top + i, left + j, digit):
                    return False
        return True
