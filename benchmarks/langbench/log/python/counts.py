"""The benchmark's counters."""

from __future__ import annotations


class Counts:
    """The counts of one thread, or the sum over all threads."""

    def __init__(self) -> None:
        self.lines = 0
        self.tokens = 0
        self.numbers = 0
        self.references = 0
        self.log_types = 0
        self.variables = 0
        self.scanned = 0
        self.candidates = 0
        self.matches = 0

    def take(self, other: Counts) -> None:
        """Add the counts of another object and reset them to 0. Objects that are kept from one
        iteration to the next therefore add nothing twice."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
            setattr(other, name, 0)
