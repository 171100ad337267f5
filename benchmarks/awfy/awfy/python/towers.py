"""The towers of Hanoi with 13 disks."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

DISKS = 13


class Disk:
    __slots__ = ("size", "next")

    def __init__(self, size: int) -> None:
        self.size = size
        self.next: Disk | None = None


class Towers(Benchmark):
    __slots__ = ("piles", "moves")

    def once(self) -> int:
        self.piles: list[Disk | None] = [None, None, None]
        for size in range(DISKS, -1, -1):
            self.push(Disk(size), 0)
        self.moves = 0
        self.move(DISKS, 0, 1)
        return self.moves

    def push(self, disk: Disk, pile: int) -> None:
        top = self.piles[pile]
        if top is not None and disk.size >= top.size:
            raise RuntimeError("a big disk on a smaller one")
        disk.next = top
        self.piles[pile] = disk

    def pop(self, pile: int) -> Disk:
        top = self.piles[pile]
        if top is None:
            raise RuntimeError("no disk on this pile")
        self.piles[pile] = top.next
        top.next = None
        return top

    def move_top(self, from_: int, to: int) -> None:
        self.push(self.pop(from_), to)
        self.moves += 1

    def move(self, disks: int, from_: int, to: int) -> None:
        counts.steps += 1  # tick
        if disks == 1:
            self.move_top(from_, to)
            return
        third = 3 - from_ - to
        self.move(disks - 1, from_, third)
        self.move_top(from_, to)
        self.move(disks - 1, third, to)
