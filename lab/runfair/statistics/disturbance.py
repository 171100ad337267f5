"""Which blocks of a run were disturbed, and which attempt at a block counts: by what the kernel
says that others took, never by the figure itself.

A program's own kernel work (writing back its pages, its network's interrupts) is booked by the
kernel as other programs' work. It comes with every execution, so that each is held against what is
usual for its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_SHARE = 0.02
"""An execution counts as undisturbed if others took less than 2% of its processor's time
(*proposal*)."""

TIMES_USUAL = 3.0
"""What is less than three times what the cell usually loses is its own or the machine's normal."""

MOST_REPEATS = 2

BUDGET_SHARE = 0.35
"""The share of the planned run's time for all repeats together (*proposal*): a run of one
group has three blocks, of which one can then be repeated."""


def usual(shares: Sequence[float]) -> float:
    """The share that a cell's executions usually lose: their lower median, so that of two the one
    that lost less is the usual one. 0 without any."""
    return sorted(shares)[(len(shares) - 1) // 2] if shares else 0.0


def disturbed(share: float, doubt: float, usually: float) -> bool:
    """Whether an execution that lost this share was disturbed. `doubt` is what the kernel's clock
    ticks can have added."""
    return share - doubt > max(LEAST_SHARE, TIMES_USUAL * usually)


@dataclass(frozen=True)
class Attempt:
    """One attempt at a block: whether others disturbed it, the greatest share that an execution in
    it lost, and how long it took."""

    disturbed: bool
    lost: float
    took_ns: int


def chosen(attempts: Sequence[Attempt]) -> int:
    """Which attempt at a block counts: the first that was not disturbed, else the one that lost
    the least share. ValueError without any."""
    for place, attempt in enumerate(attempts):
        if not attempt.disturbed:
            return place
    return min(range(len(attempts)), key=lambda place: attempts[place].lost)


def next_to_repeat(blocks: Sequence[Sequence[Attempt]]) -> int | None:
    """The first block all of whose attempts were disturbed, and that may and can be repeated once
    more; None if none is. A block is its attempts in their order, at least one."""
    left_ns = BUDGET_SHARE * sum(block[0].took_ns for block in blocks)
    left_ns -= sum(attempt.took_ns for block in blocks for attempt in block[1:])
    for place, block in enumerate(blocks):
        again = len(block) <= MOST_REPEATS and all(attempt.disturbed for attempt in block)
        if again and block[0].took_ns <= left_ns:
            return place
    return None
