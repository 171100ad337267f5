"""The JSON of `traffic`: what a capture held and what of it was written (`--to`), or how far a
replay is from what was recorded (`--against`)."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record

Timing = Literal["recorded", "constant"]


class Sizes(Record):
    """Quantiles of sizes in bytes, within 0.5%, of the `known` requests, whose size is in the
    capture."""

    known: int
    median_bytes: int
    p99_bytes: int
    largest_bytes: int


class RouteCount(Record):
    """How many requests one route got."""

    route: str
    requests: int


class Summary(Record):
    """`span_ns` is from the first request's beginning to the last one's; None without times.
    `routes` holds the most frequent ones."""

    requests: int
    span_ns: int | None
    rate_per_s: float | None
    distinct_routes: int
    routes: list[RouteCount]
    request_body_bytes: Sizes | None
    answer_bytes: Sizes | None


class Conversion(Record):
    """`found` counts the requests that were read, `written` those that are in the file. `notes`
    are the capture's and the conversion's own."""

    format: str
    timing: Timing
    found: Summary
    written: int
    notes: list[str]


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
