"""The counters of contract.md."""

from __future__ import annotations


class Counts:
    def __init__(self) -> None:
        self.elements = 0
        self.steps = 0


counts = Counts()
