"""The benchmark's counters."""

from __future__ import annotations


class Counts:
    """What one thread counts, or the sum over all."""

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
        """Add what the other has counted, which then counts from 0 again: what is kept from one
        iteration to the next adds nothing to the next."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
            setattr(other, name, 0)
