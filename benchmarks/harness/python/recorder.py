"""Records samples of a distribution in the cells of an HdrHistogram (contract.md,
"Distributions")."""

from __future__ import annotations

import mmap
import os
from _thread import allocate_lock
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Deque, List

MOST = 2**47 - 1
DIGITS = 11  # each value with no more binary digits has its own cell
CELLS = 38_912
NUMBER_BYTES = 8


def cell_of(value: int) -> int:
    value = min(max(value, 0), MOST)
    shift = max(value.bit_length() - DIGITS, 0)
    return (shift << (DIGITS - 1)) + (value >> shift)


class Recorder:
    """Keeps the counts in a mapped file, which contains them however the process ends."""

    def __init__(self, folder: str, distribution: str) -> None:
        with open(os.path.join(folder, f"{distribution}.counts"), "wb+") as file:
            file.truncate(NUMBER_BYTES * (1 + CELLS))
            self._file = mmap.mmap(file.fileno(), 0)
        self._numbers = memoryview(self._file).cast("Q")  # the iteration's index, then the counts
        self._waiting: Deque[int] = deque()
        self._counting = allocate_lock()

    def record(self, value: int) -> None:
        """Count a value. Every thread may call this."""
        self._waiting.append(cell_of(value))
        # `+= 1` is not atomic. One thread at a time counts for all threads; the others continue
        # without waiting.
        while self._waiting and self._counting.acquire(False):
            while self._waiting:
                self._numbers[1 + self._waiting.popleft()] += 1
            self._counting.release()

    def begin(self, iteration: int) -> None:
        self._file[NUMBER_BYTES:] = bytes(NUMBER_BYTES * CELLS)
        self._numbers[0] = iteration

    def samples(self) -> List[int]:
        """Each non-empty cell, and its count."""
        counts = enumerate(self._numbers[1:].tolist())
        return [number for cell, count in counts if count for number in (cell, count)]
