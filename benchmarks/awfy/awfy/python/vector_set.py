"""The suite's own set: a vector without equal elements."""

from __future__ import annotations

from awfy.awfy.python.type_parameters import E, Generic
from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


class VectorSet(Generic[E]):
    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: Vector[E] = Vector()

    def size(self) -> int:
        return self.items.size()

    def add(self, element: E) -> None:
        if not self.contains(element):
            self.items.append(element)

    def contains(self, element: E) -> bool:
        return self.items.has_some(lambda item: item == element)

    def for_each(self, action: Callable[[E], object]) -> None:
        self.items.for_each(action)


class IdentitySet(VectorSet[E]):
    """A set in which only the same object is equal."""

    __slots__ = ()

    def contains(self, element: E) -> bool:
        return self.items.has_some(lambda item: item is element)
