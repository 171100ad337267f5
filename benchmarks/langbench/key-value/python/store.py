"""A store of rows of linked nodes. Each row has its own lock."""

from __future__ import annotations

import sys
import threading
from typing import Iterator, List, Optional

from harness.python.harness import MASK_64, Options, fnv1a

from .statistics import Statistics

CLASSIC_ROWS = 1024


def load(options: Options) -> Store:
    """An empty store with the properties that the options state."""
    keys = int(options["keys"])
    rows = int(options["rows"])
    capacity_bytes = int(options["capacity_bytes"])
    if rows == 0:
        rows = power_of_two(keys) if options["workload"] == "spread" else CLASSIC_ROWS
    if capacity_bytes == 0 and options["workload"] == "capped":
        capacity_bytes = max(1, keys * int(options["value_bytes"]) * 3 // 4)
    return Store(
        rows,
        capacity_bytes,
        counts="count" in options,
        # In PyPy id() does not return an address.
        tells_addresses=options["addresses"] == "1" and sys.implementation.name == "cpython",
    )


def power_of_two(least: int) -> int:
    """Return the smallest power of two that is at least this number."""
    return 1 << (least - 1).bit_length()


class Node:
    """An entry, with a link to the entry that was added to the row after it."""

    __slots__ = ("key", "value", "next")

    def __init__(self, key: bytes, value: bytes) -> None:
        self.key = key
        self.value = value
        self.next: Optional[Node] = None


class Row:
    """A linked list of nodes, with the oldest first."""

    __slots__ = ("lock", "first", "last", "length")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        self.first: Optional[Node] = None
        self.last: Optional[Node] = None
        self.length = 0

    def append(self, node: Node) -> None:
        if self.last is None:
            self.first = node
        else:
            self.last.next = node
        self.last = node
        self.length += 1

    def unlink(self, node: Node) -> None:
        before = None
        at = self.first
        while at is not None and at is not node:
            before, at = at, at.next
        if before is None:
            self.first = node.next
        else:
            before.next = node.next
        if self.last is node:
            self.last = before
        self.length -= 1

    def __iter__(self) -> Iterator[Node]:
        node = self.first
        while node is not None:
            yield node
            node = node.next


class Room:
    """The bytes that values take, if their number is limited."""

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._used_bytes = 0

    def take(self, length: int) -> None:
        with self._lock:
            self._used_bytes += length

    def give_back(self, length: int) -> None:
        with self._lock:
            self._used_bytes -= length

    def is_exceeded(self) -> bool:
        with self._lock:
            return self._used_bytes > self.capacity_bytes


class Store:
    """The table. The argument `statistics` belongs to the connection that calls. INFO reports the
    counts if `counts` is set, and the addresses of nodes if `tells_addresses` is set."""

    def __init__(
        self, rows: int, capacity_bytes: int, *, counts: bool, tells_addresses: bool
    ) -> None:
        self.rows = [Row() for _ in range(rows)]
        self.counts = counts
        self.tells_addresses = tells_addresses
        self.room = Room(capacity_bytes) if capacity_bytes else None

    def get(self, key: bytes, statistics: Statistics) -> Optional[bytes]:
        row = self.rows[self.index(key)]
        with row.lock:
            node = self.find(row, key, statistics)
            return None if node is None else node.value

    def set(self, key: bytes, value: bytes, statistics: Statistics) -> bool:
        """Set a value. Returns False if the value is longer than the whole room."""
        index = self.index(key)
        row, room = self.rows[index], self.room
        if room is not None:
            if len(value) > room.capacity_bytes:
                return False
            room.take(len(value))
            while room.is_exceeded() and self.evict(index, room, statistics):
                pass
        with row.lock:
            node = self.find(row, key, statistics)
            if node is None:
                row.append(Node(key, value))
                return True
            old, node.value = node.value, value
        if room is not None:
            room.give_back(len(old))
        return True

    def evict(self, start: int, room: Room, statistics: Statistics) -> bool:
        """Remove the oldest entry of the first row that is not empty. Returns whether there was
        such an entry."""
        for index in range(start, start + len(self.rows)):
            row = self.rows[index % len(self.rows)]
            with row.lock:
                if row.first is not None:
                    statistics.evictions += 1
                    room.give_back(len(row.first.value))
                    row.unlink(row.first)
                    return True
        return False

    def remove(self, key: bytes, statistics: Statistics) -> bool:
        row = self.rows[self.index(key)]
        with row.lock:
            node = self.find(row, key, statistics)
            if node is None:
                return False
            row.unlink(node)
            if self.room is not None:
                self.room.give_back(len(node.value))
            return True

    def clear(self) -> None:
        for row in self.rows:
            with row.lock:
                if self.room is not None:
                    self.room.give_back(sum(len(node.value) for node in row))
                row.clear()

    def entries(self) -> int:
        total = 0
        for row in self.rows:
            with row.lock:
                total += row.length
        return total

    def digest(self) -> int:
        total = 0
        for row in self.rows:
            with row.lock:
                for node in row:
                    total += fnv1a(node.value, fnv1a(b"\0", fnv1a(node.key)))
        return total & MASK_64

    def distances(self) -> List[int]:
        """The distances between the addresses of neighbouring nodes. In CPython id() returns the
        address."""
        total = []
        for row in self.rows:
            with row.lock:
                total += [abs(id(node.next) - id(node)) for node in row if node.next is not None]
        return total

    def index(self, key: bytes) -> int:
        return fnv1a(key) % len(self.rows)

    def find(self, row: Row, key: bytes, statistics: Statistics) -> Optional[Node]:
        node = row.first
        while node is not None:
            statistics.chain_steps += 1  # tick
            if node.key == key:
                return node
            node = node.next
        return None
