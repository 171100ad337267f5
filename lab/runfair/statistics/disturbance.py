"""The disturbed blocks of a run, and the attempt at each block that counts. The decision uses the
CPU time of other processes, as the kernel reports it, and never the measured figure itself.

The kernel accounts part of a program's own work (writing back its pages, its network's interrupts)
to other processes. This part occurs in every execution, so each execution is compared with the
usual share of its cell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

LEAST_SHARE = 0.02
"""An execution counts as undisturbed if other processes took less than 2% of its processor's time
(*proposal*)."""

TIMES_USUAL = 3.0
"""A loss below three times the cell's usual loss is treated as the program's own work or as normal
for the machine."""

MOST_REPEATS = 2

BUDGET_SHARE = 0.35
"""The time that all repeats together may take, as a share of the planned run's time (*proposal*). A
run of one comparison group has three blocks, so one block can be repeated."""


def usual(shares: Sequence[float]) -> float:
    """The share that a cell's executions usually lose: the lower median of their shares (of two
    values, the smaller). 0 if there are no executions."""
    return sorted(shares)[(len(shares) - 1) // 2] if shares else 0.0


def disturbed(share: float, doubt: float, usually: float) -> bool:
    """Whether an execution that lost this share was disturbed. `doubt` is the share that rounding
    to kernel ticks can have added."""
    return share - doubt > max(LEAST_SHARE, TIMES_USUAL * usually)


@dataclass(frozen=True)
class Attempt:
    """An attempt at a block: whether other processes disturbed it, the greatest share that one of
    its executions lost, and its duration."""

    disturbed: bool
    lost: float
    took_ns: int


def chosen(attempts: Sequence[Attempt]) -> int:
    """The index of the attempt that counts: the first that was not disturbed, otherwise the attempt
    that lost the smallest share. Raises ValueError if there are no attempts."""
    for place, attempt in enumerate(attempts):
        if not attempt.disturbed:
            return place
    return min(range(len(attempts)), key=lambda place: attempts[place].lost)


def next_to_repeat(
    blocks: Sequence[Sequence[Attempt]], under_way: Collection[int] = ()
) -> int | None:
    """The index of the first block that should be repeated: all its attempts were disturbed, and
    the limits allow another attempt. None if no block should be repeated. A block is a non-empty
    list of its attempts, in order. `under_way` are the indexes of blocks that are being repeated.
    Such a repeat counts as long as the block's first attempt."""
    left_ns = BUDGET_SHARE * sum(block[0].took_ns for block in blocks)
    left_ns -= sum(attempt.took_ns for block in blocks for attempt in block[1:])
    left_ns -= sum(blocks[place][0].took_ns for place in under_way)
    for place, block in enumerate(blocks):
        if place in under_way:
            continue
        again = len(block) <= MOST_REPEATS and all(attempt.disturbed for attempt in block)
        if again and block[0].took_ns <= left_ns:
            return place
    return None
