"""The suite's own dictionary: a table of lists of entries, which doubles. Keys are objects."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.type_parameters import Generic, H, V

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INITIAL = 16


def spread(number: int) -> int:
    return number ^ (number >> 16)


class Entry:
    __slots__ = ("hash", "key", "value", "next")

    def __init__(self, number: int, key: object, value: Any) -> None:
        self.hash = number
        self.key = key
        self.value = value
        self.next: Entry | None = None


class Chain:
    """A list that grows at its end."""

    __slots__ = ("first", "last")

    def __init__(self) -> None:
        self.first: Entry | None = None
        self.last: Entry | None = None

    def append(self, entry: Entry) -> None:
        if self.last is None:
            self.first = entry
        else:
            self.last.next = entry
        self.last = entry

    def end(self) -> None:
        if self.last is not None:
            self.last.next = None


class IdentityDictionary(Generic[H, V]):
    __slots__ = ("buckets", "size")

    def __init__(self) -> None:
        self.buckets: list[Entry | None] = [None] * INITIAL
        self.size = 0

    def get(self, key: H) -> V | Any:
        """The value of a key, or None."""
        number = spread(key.hash())
        entry = self.buckets[number & (len(self.buckets) - 1)]
        while entry is not None:
            counts.elements += 1  # tick
            if entry.hash == number and entry.key is key:
                return entry.value
            entry = entry.next
        return None

    def put(self, key: H, value: V) -> None:
        number = spread(key.hash())
        place = number & (len(self.buckets) - 1)
        last = None
        entry = self.buckets[place]
        while entry is not None:
            counts.elements += 1  # tick
            if entry.hash == number and entry.key is key:
                entry.value = value
                return
            last = entry
            entry = entry.next
        added = Entry(number, key, value)
        if last is None:
            self.buckets[place] = added
        else:
            last.next = added
        self.size += 1
        if self.size > len(self.buckets):
            self.grow()

    def remove_all(self) -> None:
        self.buckets = [None] * len(self.buckets)
        self.size = 0

    def grow(self) -> None:
        """Entries of a list go to its old place or to one in the upper half, in their order."""
        old = self.buckets
        self.buckets = [None] * (2 * len(old))
        for i in range(len(old)):
            lower = Chain()
            upper = Chain()
            entry = old[i]
            while entry is not None:
                counts.elements += 1  # tick
                if entry.hash & len(old) == 0:
                    lower.append(entry)
                else:
                    upper.append(entry)
                entry = entry.next
            lower.end()
            upper.end()
            self.buckets[i] = lower.first
            self.buckets[i + len(old)] = upper.first
