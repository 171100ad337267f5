"""The benchmark's counters."""

from __future__ import annotations


class Counts:
    """The counts of one connection, or the sum over all connections."""

    def __init__(self) -> None:
        self.requests = 0
        self.body_bytes = 0

    def add(self, other: Counts) -> None:
        self.requests += other.requests
        self.body_bytes += other.body_bytes
