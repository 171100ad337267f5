"""Values of a JSON document."""

from __future__ import annotations

from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GUESSES = 32
MOST = 255


class JsonValue:
    __slots__ = ()

    def is_array(self) -> bool:
        return False

    def is_object(self) -> bool:
        return False

    def as_array(self) -> JsonArray:
        raise RuntimeError("no array")

    def as_object(self) -> JsonFields:
        raise RuntimeError("no object")


class JsonLiteral(JsonValue):
    """Null, true or false."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class JsonNumber(JsonValue):
    __slots__ = ("digits",)

    def __init__(self, digits: str) -> None:
        self.digits = digits


class JsonText(JsonValue):
    __slots__ = ("characters",)

    def __init__(self, characters: str) -> None:
        self.characters = characters


class JsonArray(JsonValue):
    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: Vector[JsonValue] = Vector()

    def add(self, value: JsonValue) -> None:
        self.values.append(value)

    def size(self) -> int:
        return self.values.size()

    def is_array(self) -> bool:
        return True

    def as_array(self) -> JsonArray:
        return self


def slot(name: str) -> int:
    return len(name) * 1402589 & GUESSES - 1


class JsonFields(JsonValue):
    """An object, whose names are found by a table of guesses."""

    __slots__ = ("names", "values", "guesses")

    def __init__(self) -> None:
        self.names: Vector[str] = Vector()
        self.values: Vector[JsonValue] = Vector()
        self.guesses = [0] * GUESSES

    def add(self, name: str, value: JsonValue) -> None:
        index = self.names.size()
        self.guesses[slot(name)] = index + 1 if index < MOST else 0
        self.names.append(name)
        self.values.append(value)

    def get(self, name: str) -> JsonValue | Any:
        """The value of a name, or None."""
        index = self.guesses[slot(name)] - 1
        if index < 0 or name != self.names.at(index):
            index = self.place(name)
        return None if index < 0 else self.values.at(index)

    def place(self, name: str) -> int:
        for i in range(self.names.size() - 1, -1, -1):
            if name == self.names.at(i):
                return i
        return -1

    def is_object(self) -> bool:
        return True

    def as_object(self) -> JsonFields:
        return self
