"""What the fourteen benchmarks share: how often the work is done, and the suite's own random
numbers."""

from __future__ import annotations


class Benchmark:
    """A benchmark. `once` does the work and returns the answer."""

    __slots__ = ()

    def run(self, inner: int) -> int:
        """Do the work `inner` times. A benchmark whose `inner` is a size has its own `run`."""
        total = 0
        for _ in range(inner):
            total += self.once()
        return total

    def once(self) -> int:
        raise NotImplementedError


class Random:
    """The suite's own generator of numbers below 65536."""

    __slots__ = ("seed",)

    def __init__(self) -> None:
        self.seed = 74755

    def next(self) -> int:
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed
