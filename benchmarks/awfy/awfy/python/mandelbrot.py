"""The Mandelbrot set, with a bit for each point. The answer is the exclusive or of all bytes."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

ITERATIONS = 50
LIMIT = 4.0


def escapes(cr: float, ci: float) -> int:
    """Return 1 if the point leaves the circle, else 0."""
    zrzr = 0.0
    zi = 0.0
    zizi = 0.0
    for _ in range(ITERATIONS):
        counts.steps += 1  # tick
        zr = zrzr - zizi + cr
        zi = 2.0 * zr * zi + ci
        zrzr = zr * zr
        zizi = zi * zi
        if zrzr + zizi > LIMIT:
            return 1
    return 0


class Mandelbrot(Benchmark):
    __slots__ = ()

    def run(self, size: int) -> int:
        total = 0
        bits = 0
        bit_count = 0
        for y in range(size):
            ci = 2.0 * y / size - 1.0
            for x in range(size):
                cr = 2.0 * x / size - 1.5
                bits = (bits << 1) + escapes(cr, ci)
                bit_count += 1
                if bit_count == 8:
                    total ^= bits
                    bits = 0
                    bit_count = 0
                elif x == size - 1:
                    total ^= bits << (8 - bit_count)
                    bits = 0
                    bit_count = 0
        return total
