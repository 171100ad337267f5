"""The suite's own array that grows."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.type_parameters import E, Generic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

INITIAL = 10


class Vector(Generic[E]):
    __slots__ = ("storage", "first", "end")

    def __init__(self) -> None:
        self.storage: list[E | Any] = []
        self.first = 0
        self.end = 0

    def size(self) -> int:
        return self.end - self.first

    def is_empty(self) -> bool:
        return self.first == self.end

    def at(self, index: int) -> E | Any:
        """An element, or None if there is none at that place."""
        return self.storage[self.first + index] if index < self.size() else None

    def append(self, element: E) -> None:
        counts.elements += 1  # tick
        self.reserve(self.end)
        self.storage[self.end] = element
        self.end += 1

    def put(self, index: int, element: E) -> None:
        """Put an element at a place at which there is one, or just after the last one."""
        counts.elements += 1  # tick
        place = self.first + index
        self.reserve(place)
        self.storage[place] = element
        if place >= self.end:
            self.end = place + 1

    def reserve(self, place: int) -> None:
        if place == len(self.storage):
            larger: list[E | Any] = [None] * (INITIAL if place == 0 else 2 * place)
            for i in range(self.first, self.end):
                counts.elements += 1  # tick
                larger[i] = self.storage[i]
            self.storage = larger

    def remove_first(self) -> E | Any:
        """None if the vector is empty."""
        if self.is_empty():
            return None
        counts.elements += 1  # tick
        self.first += 1
        return self.storage[self.first - 1]

    def remove(self, element: E) -> bool:
        """Remove the element, by identity. Returns whether it was there."""
        kept: list[E | Any] = [None] * len(self.storage)
        length = 0
        found = False
        for i in range(self.first, self.end):
            counts.elements += 1  # tick
            if self.storage[i] is element:
                found = True
            else:
                kept[length] = self.storage[i]
                length += 1
        self.storage = kept
        self.first = 0
        self.end = length
        return found

    def remove_all(self) -> None:
        self.storage = [None] * len(self.storage)
        self.first = 0
        self.end = 0

    def for_each(self, action: Callable[[E], object]) -> None:
        for i in range(self.first, self.end):
            counts.elements += 1  # tick
            action(self.storage[i])

    def has_some(self, condition: Callable[[E], bool]) -> bool:
        for i in range(self.first, self.end):
            counts.elements += 1  # tick
            if condition(self.storage[i]):
                return True
        return False

    def sort(self, is_before: Callable[[E, E], bool]) -> None:
        """Put the elements in order, by insertion. Equal ones stay in their order."""
        for i in range(self.first + 1, self.end):
            element = self.storage[i]
            place = i
            while place > self.first and is_before(element, self.storage[place - 1]):
                counts.elements += 1  # tick
                self.storage[place] = self.storage[place - 1]
                place -= 1
            self.storage[place] = element
