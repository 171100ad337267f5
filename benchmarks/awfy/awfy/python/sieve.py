"""The sieve of Eratosthenes up to 5000."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

SIZE = 5000


class Sieve(Benchmark):
    __slots__ = ()

    def once(self) -> int:
        flags = [True] * SIZE
        primes = 0
        for i in range(2, SIZE + 1):
            if flags[i - 1]:
                primes += 1
                for k in range(i + i, SIZE + 1, i):
                    counts.steps += 1  # tick
                    flags[k - 1] = False
        return primes
