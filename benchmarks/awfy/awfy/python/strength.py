"""How strong a constraint is: the smaller the number, the stronger."""

from __future__ import annotations

from awfy.awfy.python.identity_dictionary import IdentityDictionary


class Name:
    """A strength's name, by which the table of a run finds it."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def hash(self) -> int:
        return self.number


ABSOLUTE_STRONGEST = Name(0)
REQUIRED = Name(1)
STRONG_PREFERRED = Name(2)
PREFERRED = Name(3)
STRONG_DEFAULT = Name(4)
DEFAULT = Name(5)
WEAK_DEFAULT = Name(6)
ABSOLUTE_WEAKEST = Name(7)


class Strength:
    __slots__ = ("name", "value")

    def __init__(self, name: Name, value: int) -> None:
        self.name = name
        self.value = value

    def is_stronger_than(self, other: Strength) -> bool:
        return self.value < other.value

    def is_weaker_than(self, other: Strength) -> bool:
        return self.value > other.value

    def weakest(self, other: Strength) -> Strength:
        return other if other.is_weaker_than(self) else self


def strength_table() -> IdentityDictionary[Name, Strength]:
    """All strengths by their names."""
    table: IdentityDictionary[Name, Strength] = IdentityDictionary()

    def add(name: Name, value: int) -> None:
        table.put(name, Strength(name, value))

    add(ABSOLUTE_STRONGEST, -10000)
    add(REQUIRED, -800)
    add(STRONG_PREFERRED, -600)
    add(PREFERRED, -400)
    add(STRONG_DEFAULT, -200)
    add(DEFAULT, 0)
    add(WEAK_DEFAULT, 500)
    add(ABSOLUTE_WEAKEST, 10000)
    return table
