"""The statistics that each connection counts separately."""

from __future__ import annotations

import threading
from typing import Dict, Set


class Statistics:
    """The integers of one connection (written only by its thread), or sums of them. `sets` and
    `chain_steps` are counted by ticks; the others are reported by INFO of every server."""

    __slots__ = ("commands", "hits", "misses", "evictions", "sets", "chain_steps")

    def __init__(self) -> None:
        self.commands = 0
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self.sets = 0
        self.chain_steps = 0

    def add(self, other: Statistics) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def counters(self, entries: int) -> Dict[str, int]:
        """The values of the benchmark's counters."""
        return {
            "sets": self.sets,
            "gets": self.hits + self.misses,
            "hits": self.hits,
            "misses": self.misses,
            "chain_steps": self.chain_steps,
            "entries": entries,
            "evictions": self.evictions,
        }


class Totals:
    """The statistics of all connections."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Set[Statistics] = set()
        self._ended = Statistics()

    def begin(self) -> Statistics:
        statistics = Statistics()
        with self._lock:
            self._open.add(statistics)
        return statistics

    def end(self, statistics: Statistics) -> None:
        with self._lock:
            self._open.remove(statistics)
            self._ended.add(statistics)

    def sum(self) -> Statistics:
        together = Statistics()
        with self._lock:
            together.add(self._ended)
            for statistics in self._open:
                together.add(statistics)
        return together
