"""The JSON of `traffic`: the content of a capture and its conversion (`--to`), or the distance of a
replay from the recording (`--against`)."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record

Timing = Literal["recorded", "constant"]


class Sizes(Record):
    """Quantiles of sizes, in bytes, precise to 0.5%. The quantiles cover the `known` requests, that
    is, those whose size the capture contains."""

    known: int
    median_bytes: int
    p99_bytes: int
    largest_bytes: int


class RouteCount(Record):
    """The number of requests of a route."""

    route: str
    requests: int


class Summary(Record):
    """The summary of a capture. `span_ns` is the time between the starts of the first and the last
    request; it is None if the capture has no times. `routes` holds the most frequent routes."""

    requests: int
    span_ns: int | None
    rate_per_s: float | None
    distinct_routes: int
    routes: list[RouteCount]
    request_body_bytes: Sizes | None
    answer_bytes: Sizes | None


class Conversion(Record):
    """A conversion: `found` is the number of requests that were read, `written` the number in the
    new file. `notes` are remarks about the capture and the conversion."""

    format: str
    timing: Timing
    found: Summary
    written: int
    notes: list[str]


Quantity = Literal["request size", "answer size", "route", "key", "key popularity"]
Measure = Literal["Kolmogorov-Smirnov", "total variation"]


class Distance(Record):
    """A distance between two distributions, from 0 (equal) to 1 (nothing in common).

    `by_chance` is the distance that two random halves of all these requests stay below in 95 of 100
    cases. A smaller distance therefore shows no difference. If a replay sends the same requests as
    the capture, its distance is smaller than `by_chance`.
    """

    quantity: Quantity
    measure: Measure
    distance: float
    by_chance: float
    recorded: int
    replayed: int

    @property
    def differs(self) -> bool:
        """Whether the distance is larger than chance explains."""
        return self.distance > self.by_chance


class Replay(Record):
    """A replay's distance from the recording in each quantity that both captures contain. `notes`
    are remarks about the two captures."""

    distances: list[Distance]
    notes: list[str]
