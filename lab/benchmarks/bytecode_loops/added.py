"""The bytecodes that more copies of a statement add to an iteration of a loop, counted exactly by
the probe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Counts = Mapping[str, int]

SLACK = 0.02
"""How far a number of executions for each iteration may be from a whole number. The runtime's own
threads execute some bytecodes, and CPython counts a bytecode twice when it specialises it again."""


@dataclass(frozen=True)
class CountedLoop:
    """The counts of a loop's program, run with few iterations and with `iterations` more. Whatever
    the program executes before and after the loop is in both."""

    short: Counts
    long: Counts
    iterations: int

    def each_iteration(self, bytecode: str) -> float:
        more = self.long.get(bytecode, 0) - self.short.get(bytecode, 0)
        return more / self.iterations


def added(few: CountedLoop, many: CountedLoop) -> dict[str, int] | None:
    """How many more executions of each bytecode an iteration of the loop with `many` copies has
    than an iteration of the loop with `few`. None if a number is not whole: then the copies do not
    always execute the same bytecodes."""
    found = {}
    for bytecode in {*few.long, *many.long}:
        more = many.each_iteration(bytecode) - few.each_iteration(bytecode)
        if abs(more - round(more)) > SLACK:
            return None
        if round(more) != 0:
            found[bytecode] = round(more)
    return found


def best(bytecode: str, more_copies: int, candidates: Sequence[Mapping[str, int]]) -> int | None:
    """The position of the candidate that adds exactly `more_copies` executions of the bytecode, and
    the fewest executions of other bytecodes; None if there is none."""
    exact = [
        (sum(map(abs, one.values())), at)
        for at, one in enumerate(candidates)
        if one.get(bytecode) == more_copies
    ]
    return min(exact)[1] if exact else None
