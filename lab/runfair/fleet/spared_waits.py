"""The waits that a free connection of another host could have prevented.

A single load generator would have sent a waiting request on any free connection. If several hosts
share a load, a request waits for a connection of its own host, even if another host has a free
connection. The generators cause such a wait, and not the server.

Each request's record says when the request was due and when it ended. A host has a free connection
as long as the number of its due and not yet ended requests is smaller than the number of its
connections (times the number of requests that a connection carries at the same time). The result is
an upper bound: several waiting requests may claim the same free connection, and the clocks of the
hosts are uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runfair.statistics.array import IntArray


@dataclass(frozen=True, eq=False)
class Pool:
    """The requests of one host. `room` is the number of requests that the host's connections carry
    at the same time. Instants are in nanoseconds, counted from the start of the load. `free_ns` is
    the instant from which the request had a connection. `uncertainty_ns` is the uncertainty of the
    host's clock."""

    intended_ns: IntArray
    free_ns: IntArray
    done_ns: IntArray
    room: int
    uncertainty_ns: int = 0


@dataclass(frozen=True, eq=False)
class _Idle:
    """The times in which a host has a free connection, in order: from `begin_ns` to `end_ns`."""

    begin_ns: IntArray
    end_ns: IntArray

    def earliest(self, from_ns: IntArray, uncertainty_ns: int) -> IntArray:
        """The first idle instant at or after each of these instants. If there is none, the greatest
        number."""
        begin, end = self.begin_ns - uncertainty_ns, self.end_ns + uncertainty_ns
        place = np.searchsorted(end, from_ns, side="right")
        known = np.append(begin, np.iinfo(np.int64).max)
        found: IntArray = np.maximum(known[place], from_ns)
        return found


def first_free(pools: Sequence[Pool]) -> list[IntArray]:
    """For each host, the instants at which its requests could have been sent if all hosts shared
    their connections. This instant is at the earliest when the request was due, and at the latest
    when a connection of its own host was free."""
    idle = [_idle(pool) for pool in pools]
    found = []
    for own, pool in enumerate(pools):
        free = pool.free_ns.copy()
        waited = free > pool.intended_ns
        for other, times in enumerate(idle):
            if other != own:
                apart_ns = pool.uncertainty_ns + pools[other].uncertainty_ns
                earliest = times.earliest(pool.intended_ns[waited], apart_ns)
                free[waited] = np.minimum(free[waited], earliest)
        found.append(free)
    return found


def _idle(pool: Pool) -> _Idle:
    count = len(pool.intended_ns)
    at_ns = np.concatenate([pool.intended_ns, pool.done_ns])
    change = np.repeat(np.array([1, -1], dtype=np.int64), count)
    # A connection whose request ends is free for a request that is due at the same instant.
    order = np.lexsort((change, at_ns))
    at_ns, level = at_ns[order], np.cumsum(change[order])
    never = np.iinfo(np.int64).max // 2
    begin = np.concatenate([np.array([-never]), at_ns])
    end = np.append(at_ns, never)
    idle = (np.concatenate([np.zeros(1, dtype=np.int64), level]) < pool.room) & (end > begin)
    return _Idle(begin[idle], end[idle])
