"""The smallest heap in which a program comes to its end, and the heaps worth measuring from there.

The 2022 study (section 4) took the first configuration that did not crash as the least memory, and
raised it until the time no longer improved.
"""

from __future__ import annotations

from collections.abc import Callable

MIB = 1 << 20
LEAST_BYTES = MIB
# Collectors reserve by regions; below a tenth a difference is no longer the program's.
PRECISION = 1.1
MOST_BYTES = 64 << 30
# Of a collector's time against the heap most happens below four times the least (Blackburn et al.,
# OOPSLA 2004, vary it from one to six times).
LADDER = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def smallest_heap_bytes(works: Callable[[int], bool]) -> int | None:
    """The least heap, in whole MiB and to within a tenth, for which `works(bytes)` holds; None
    where none up to 64 GiB does. It is taken to hold for every larger one."""
    high = LEAST_BYTES
    while not works(high):
        high *= 2
        if high > MOST_BYTES:
            return None
    low = high // 2
    while high > low * PRECISION and high - low > MIB:
        middle = (low + high) // 2 // MIB * MIB
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def ladder(smallest_bytes: int) -> list[int]:
    """From the smallest on, in whole MiB, each once."""
    steps = (-(-round(smallest_bytes * step) // MIB) * MIB for step in LADDER)
    return list(dict.fromkeys(steps))
