"""`traffic … --against REPLAY --json`: how far a replay is from what was recorded."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record

Quantity = Literal["request size", "answer size", "route", "key", "key popularity"]
Measure = Literal["Kolmogorov-Smirnov", "total variation"]


class Distance(Record):
    """From 0 (the same distribution) to 1 (nothing in common).

    `by_chance`: what two random halves of all these requests stay below in 95 of 100 cases, so that
    a smaller distance shows no difference. A replay of the very requests is nearer than that.
    """

    quantity: Quantity
    measure: Measure
    distance: float
    by_chance: float
    recorded: int
    replayed: int

    @property
    def differs(self) -> bool:
        """Whether by more than chance."""
        return self.distance > self.by_chance


class Replay(Record):
    """A distance for each quantity that both sides tell. `notes` are the two captures' own."""

    distances: list[Distance]
    notes: list[str]
