"""Places and movements in the plane and in space."""

from __future__ import annotations

import math


def compare(one: float, other: float) -> int:
    if one == other:
        return 0
    return -1 if one < other else 1


class Vector2D:
    """A place in the plane. Places are in order of x, then of y."""

    __slots__ = ("x", "y")

    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y

    def plus(self, other: Vector2D) -> Vector2D:
        return Vector2D(self.x + other.x, self.y + other.y)

    def minus(self, other: Vector2D) -> Vector2D:
        return Vector2D(self.x - other.x, self.y - other.y)

    def compare_to(self, other: Vector2D) -> int:
        order = compare(self.x, other.x)
        return order if order != 0 else compare(self.y, other.y)


class Vector3D:
    __slots__ = ("x", "y", "z")

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x = x
        self.y = y
        self.z = z

    def plus(self, other: Vector3D) -> Vector3D:
        return Vector3D(self.x + other.x, self.y + other.y, self.z + other.z)

    def minus(self, other: Vector3D) -> Vector3D:
        return Vector3D(self.x - other.x, self.y - other.y, self.z - other.z)

    def times(self, factor: float) -> Vector3D:
        return Vector3D(factor * self.x, factor * self.y, factor * self.z)

    def dot(self, other: Vector3D) -> float:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def squared_magnitude(self) -> float:
        return self.dot(self)

    def magnitude(self) -> float:
        return math.sqrt(self.squared_magnitude())
