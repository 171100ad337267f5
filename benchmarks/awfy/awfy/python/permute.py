"""All permutations of six elements, by swapping."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

ELEMENTS = 6


class Permute(Benchmark):
    __slots__ = ("count", "elements")

    def once(self) -> int:
        self.count = 0
        self.elements = [0] * ELEMENTS
        self.permute(ELEMENTS)
        return self.count

    def permute(self, n: int) -> None:
        counts.steps += 1  # tick
        self.count += 1
        if n != 0:
            last = n - 1
            self.permute(last)
            for i in range(last, -1, -1):
                self.swap(last, i)
                self.permute(last)
                self.swap(last, i)

    def swap(self, i: int, j: int) -> None:
        element = self.elements[i]
        self.elements[i] = self.elements[j]
        self.elements[j] = element
