"""Rounds of measurements in pairs: what is compared is measured in the same round.

A round measures every subject once, in a random order. Every second round has the mirrored order
of the round before, so a machine that becomes steadily slower or faster favours no subject. Rounds
are short, so a disturbance affects few of them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from checking.signed_ranks import LEAST_PAIRS, Middle, middle

SEED = 1

Measured = TypeVar("Measured")


def rounds(
    subjects: Sequence[str], measure: Callable[[str], Measured], number: int
) -> Iterator[dict[str, Measured]]:
    """The measurements of each round, by subject."""
    shuffled = random.Random(SEED)
    order = list(subjects)
    for at in range(number):
        if at % 2:
            order.reverse()
        else:
            shuffled.shuffle(order)
        yield {subject: measure(subject) for subject in order}


@dataclass(frozen=True)
class Ratio:
    """The ratio of two subjects in each round, and the typical ratio over all rounds with its 95%
    confidence interval. The typical ratio and the interval are None if there are too few rounds
    for an interval.
    """

    each: tuple[float, ...]
    typical: Middle | None

    @classmethod
    def of(cls, subject: Sequence[float], baseline: Sequence[float]) -> Ratio:
        """The ratio of positive values, paired by round. Raises ValueError if the numbers of values
        differ."""
        each = tuple(one / other for one, other in zip(subject, baseline, strict=True))
        found = typical([math.log(ratio) for ratio in each])
        if found is not None:
            found = Middle(*(math.exp(limit) for limit in (found.value, found.low, found.high)))
        return cls(each, found)

    def within(self, most: float) -> int:
        """The number of rounds in which the ratio is at most `most`."""
        return sum(ratio <= most for ratio in self.each)


def typical(differences: Sequence[float]) -> Middle | None:
    """The typical difference with its interval; None if there are too few rounds for an
    interval."""
    return middle(differences) if len(differences) >= LEAST_PAIRS else None


def outcome(found: Middle | None, goal: float) -> str:
    """Whether a value is established to be at most its goal."""
    if found is None or found.low <= goal < found.high:
        return "undecided"
    return "met" if found.high <= goal else "missed"
