"""The contract's table: rows of linked nodes, each row with a lock."""

import threading

from harness.python.harness import MASK_64, fnv1a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional


class Counts:
    """The counts of one connection, or the sum of several."""

    def __init__(self) -> None:
        self.processed = 0
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self.sets = 0
        self.gets = 0
        self.chain_steps = 0

    def add(self, other: "Counts") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def counters(self, entries: int) -> "Dict[str, int]":
        return {
            "sets": self.sets,
            "gets": self.gets,
            "hits": self.hits,
            "misses": self.misses,
            "chain_steps": self.chain_steps,
            "entries": entries,
            "evictions": self.evictions,
        }


class Node:
    def __init__(self, key: bytes, value: bytes) -> None:
        self.key = key
        self.value = value
        self.next: "Optional[Node]" = None


class Row:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.first: "Optional[Node]" = None
        self.last: "Optional[Node]" = None


class Store:
    def __init__(self, rows: int, capacity: int, counting: bool) -> None:
        self.rows: "List[Row]" = [Row() for _ in range(rows)]
        self.capacity = capacity  # 0: everything has room
        self.counting = counting
        self.used = 0
        self.used_lock = threading.Lock()

    def row(self, key: bytes) -> Row:
        return self.rows[fnv1a(key) % len(self.rows)]

    def find(self, row: Row, key: bytes, counts: Counts) -> "Optional[Node]":
        node = row.first
        while node is not None:
            counts.chain_steps += 1  # tick
            if node.key == key:
                return node
            node = node.next
        return None

    def get(self, key: bytes, counts: Counts) -> "Optional[bytes]":
        row = self.row(key)
        with row.lock:
            node = self.find(row, key, counts)
            return None if node is None else node.value

    def set(self, key: bytes, value: bytes, counts: Counts) -> bool:
        """Returns False if the value is longer than the capacity."""
        if self.capacity > 0:
            if len(value) > self.capacity:
                return False
            self.use(len(value))
            while self.used > self.capacity and self.evict(key, counts):
                pass
        row = self.row(key)
        with row.lock:
            node = self.find(row, key, counts)
            if node is not None:
                self.use(-len(node.value))
                node.value = value
                return True
            added = Node(key, value)
            if row.last is None:
                row.first = added
            else:
                row.last.next = added
            row.last = added
            return True

    def use(self, length: int) -> None:
        if self.capacity > 0:
            with self.used_lock:
                self.used += length

    def evict(self, key: bytes, counts: Counts) -> bool:
        """Returns whether there was an entry to evict."""
        start = fnv1a(key) % len(self.rows)
        for i in range(len(self.rows)):
            row = self.rows[(start + i) % len(self.rows)]
            with row.lock:
                if row.first is not None:
                    self.unlink(row, row.first)
                    counts.evictions += 1
                    return True
        return False

    def remove(self, key: bytes, counts: Counts) -> bool:
        row = self.row(key)
        with row.lock:
            node = self.find(row, key, counts)
            if node is None:
                return False
            self.unlink(row, node)
            return True

    def unlink(self, row: Row, node: Node) -> None:
        before = None
        for other in nodes(row):
            if other.next is node:
                before = other
        if before is None:
            row.first = node.next
        else:
            before.next = node.next
        if row.last is node:
            row.last = before
        self.use(-len(node.value))

    def clear(self) -> None:
        for row in self.rows:
            with row.lock:
                while row.first is not None:
                    self.unlink(row, row.first)

    def entries(self) -> int:
        total = 0
        for row in self.rows:
            with row.lock:
                total += sum(1 for _ in nodes(row))
        return total

    def digest(self) -> int:
        total = 0
        for row in self.rows:
            with row.lock:
                for node in nodes(row):
                    total += fnv1a(node.value, fnv1a(b"\0", fnv1a(node.key)))
        return total & MASK_64


def nodes(row: Row) -> "Iterator[Node]":
    node = row.first
    while node is not None:
        yield node
        node = node.next
