"""What connections count, each for itself."""

from __future__ import annotations

import threading


class Statistics:
    """Plain integers of one connection, or, under its lock, of the whole server."""

    __slots__ = ("commands", "hits", "misses", "evictions", "sets", "chain_steps")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.commands = 0
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self.sets = 0
        self.chain_steps = 0

    def add(self, other: Statistics) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Totals:
    """What the connections have handed over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._statistics = Statistics()

    def take(self, statistics: Statistics) -> Statistics:
        """Take what a connection has counted, which begins again; give the sum with the others."""
        together = Statistics()
        with self._lock:
            self._statistics.add(statistics)
            together.add(self._statistics)
        statistics.clear()
        return together
