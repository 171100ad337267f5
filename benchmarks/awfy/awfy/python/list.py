"""Takeuchi's function on the lengths of linked lists."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Element:
    __slots__ = ("next",)

    def __init__(self, successor: Element | None) -> None:
        self.next: Element | Any = successor  # None at the end

    def length(self) -> int:
        counts.steps += 1  # tick
        return 1 if self.next is None else 1 + self.next.length()


def make(length: int) -> Element | Any:
    return None if length == 0 else Element(make(length - 1))


def is_shorter(one: Element | None, other: Element | None) -> bool:
    x = one
    y = other
    while y is not None:
        if x is None:
            return True
        x = x.next
        y = y.next
    return False


def tail(x: Element, y: Element, z: Element) -> Element:
    counts.steps += 1  # tick
    if not is_shorter(y, x):
        return z
    return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y))


class List(Benchmark):
    __slots__ = ()

    def once(self) -> int:
        return tail(make(15), make(10), make(6)).length()
