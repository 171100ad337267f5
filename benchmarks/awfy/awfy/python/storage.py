"""A tree of arrays, whose leaves are arrays of random lengths."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark, Random
from awfy.awfy.python.counts import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH = 7
BRANCHES = 4


class Storage(Benchmark):
    __slots__ = ("count",)

    def once(self) -> int:
        self.count = 0
        self.tree(DEPTH, Random())
        return self.count

    def tree(self, depth: int, random: Random) -> list[Any]:
        counts.steps += 1  # tick
        self.count += 1
        if depth == 1:
            return [None] * (random.next() % 10 + 1)
        branches: list[Any] = [None] * BRANCHES
        for i in range(BRANCHES):
            branches[i] = self.tree(depth - 1, random)
        return branches
