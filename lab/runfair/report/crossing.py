"""Where along a sweep two variants change places."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

Range = tuple[float, float]
Course = Mapping[float, Range]
"""A variant's range of values (an interval, or what its executions gave) at each point."""


def crossings(courses: Mapping[str, Course], text: Callable[[float], str]) -> Iterator[str]:
    """A sentence for each place between two points where who is the lower changes.

    Only points at which the two ranges lie apart count: between others nobody is known to lead.
    """
    for (one, ours), (other, theirs) in itertools.combinations(courses.items(), 2):
        led: tuple[float, bool] | None = None
        for place in sorted(ours.keys() & theirs.keys()):
            (low, high), (their_low, their_high) = ours[place], theirs[place]
            if high >= their_low and their_high >= low:
                continue
            lower = high < their_low
            if led is not None and led[1] != lower:
                first, second = (one, other) if led[1] else (other, one)
                yield (
                    f"{first} and {second} cross between {text(led[0])} and {text(place)}: "
                    f"below, {first} is the lower, above, {second}."
                )
            led = (place, lower)
