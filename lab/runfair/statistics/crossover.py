"""The crossover of two curves: the place at which the curve that was lower becomes the higher one.

The heights of the curves are known as ranges. Between neighbouring places, each curve is taken for
a straight line. This is so if a height is a fixed cost plus a cost for each unit of the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isinf
from typing import Literal

Range = tuple[float, float]
Curve = Literal["first", "second"]


@dataclass(frozen=True)
class Crossing:
    """The crossover lies between `low` and `high`. A limit is None if the crossover may also lie
    beyond that end of the places, or if there is no crossover between the places. `below` and
    `above` are the curves that are lower on each side; None if this is unknown. `several`: the
    curves cross more than once, and all crossovers lie between the limits."""

    low: float | None = None
    high: float | None = None
    below: Curve | None = None
    above: Curve | None = None
    several: bool = False


def crossover(places: Sequence[float], first: Sequence[Range], second: Sequence[Range]) -> Crossing:
    """The crossover of two curves at increasing `places`. At a place where the ranges overlap, it
    is unknown which curve is lower. A range may reach to infinity."""
    pairs = [*zip(first, second, strict=True)]
    lower = [_lower(ours, theirs) for ours, theirs in pairs]
    known = [at for at, curve in enumerate(lower) if curve is not None]
    if not known:
        return Crossing()
    changes = [(at, after) for at, after in pairwise(known) if lower[at] != lower[after]]
    end = len(places) - 1
    if changes:
        start, stop = changes[0][0], changes[-1][1]
    elif known[-1] < end:
        start, stop = known[-1], end
    else:
        start, stop = 0, known[0]
    meeting = [*_meeting(places[start : stop + 1], pairs[start : stop + 1])]
    begins = min((low for low, _ in meeting), default=None)
    ends = max((high for _, high in meeting), default=None)
    # If the ranges overlap at an end of the places, a crossover may lie beyond this end.
    before = changes or known[0] == 0
    after = changes or known[-1] == end
    return Crossing(
        low=begins if before else None,
        high=ends if after else None,
        below=lower[known[0]] if before else None,
        above=lower[known[-1]] if after else None,
        several=len(changes) > 1,
    )


def _lower(first: Range, second: Range) -> Curve | None:
    if first[1] < second[0]:
        return "first"
    return "second" if second[1] < first[0] else None


def _meeting(places: Sequence[float], pairs: Sequence[tuple[Range, Range]]) -> Iterator[Range]:
    """The part between each two neighbouring places in which the curves may meet: the difference of
    the curves may be 0."""
    least = [low - high for (low, _), (_, high) in pairs]
    most = [high - low for (_, high), (low, _) in pairs]
    for span, low, high in zip(pairwise(places), pairwise(least), pairwise(most), strict=True):
        below, above = _not_positive(span, low), _not_positive(span, (-high[0], -high[1]))
        if below and above and max(below[0], above[0]) <= min(below[1], above[1]):
            yield max(below[0], above[0]), min(below[1], above[1])


def _not_positive(span: Range, heights: tuple[float, float]) -> Range | None:
    """The part of a span in which the line between two heights is not above 0. A height may be
    minus infinity."""
    start, stop = span
    left, right = heights
    if left > 0 and right > 0:
        return None
    if left <= 0 and right <= 0:
        return span
    if isinf(left) or isinf(right):
        return span
    zero = start + (stop - start) * left / (left - right)
    return (start, zero) if left <= 0 else (zero, stop)
