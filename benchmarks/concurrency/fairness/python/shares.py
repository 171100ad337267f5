"""The turns that tasks have had, and Jain's index of them."""

from __future__ import annotations

from harness.python.harness import MASK_64, SplitMix64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0
        self.turns = 0

    def add(self, other: Counts) -> None:
        self.tasks += other.tasks
        self.turns += other.turns


class Share:
    """The turns and the result of one task."""

    def __init__(self) -> None:
        self.sum = 0
        self.turns = 0
        self.counts = Counts()


def first(seed: int, offset: int) -> int:
    """The first number of a generator whose state is so many steps after the seed."""
    return SplitMix64((seed + offset) & MASK_64).next()


def jain(shares: List[Share]) -> int:
    """Jain's index of the turns, in thousandths."""
    turns = [share.turns for share in shares]
    return 1000 * sum(turns) ** 2 // (len(turns) * sum(n * n for n in turns))
