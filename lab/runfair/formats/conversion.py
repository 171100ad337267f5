"""`traffic … --to OUT --json`: what a capture held, and what of it stands in the traffic file."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record

Timing = Literal["recorded", "constant"]


class Sizes(Record):
    """Quantiles of sizes in bytes, within 0.5%, of the `known` requests whose size is told."""

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
    """`found` tells of all requests that were read, `written` of them stand in the file. `notes`
    are the capture's and the conversion's own."""

    format: str
    timing: Timing
    found: Summary
    written: int
    notes: list[str]
