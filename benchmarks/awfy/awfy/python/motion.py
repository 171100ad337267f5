"""An aircraft's way from one frame to the next."""

from __future__ import annotations

import math

from awfy.awfy.python.counts import counts
from awfy.awfy.python.places import compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.places import Vector3D

RADIUS = 1.0  # of what is too close
LEAST = 0.0  # of x, y and z
MOST = 1000.0  # of x and y
MOST_Z = 10.0


class CallSign:
    """The name of an aircraft. Aircraft are in order of their numbers."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def compare_to(self, other: CallSign) -> int:
        return compare(self.number, other.number)


class Motion:
    __slots__ = ("sign", "start", "end")

    def __init__(self, sign: CallSign, start: Vector3D, end: Vector3D) -> None:
        self.sign = sign
        self.start = start
        self.end = end

    def delta(self) -> Vector3D:
        return self.end.minus(self.start)

    def intersection(self, other: Motion) -> Vector3D | None:
        """The place where two aircraft come too close, or None."""
        counts.steps += 1  # tick
        movement = self.delta()
        other_movement = other.delta()
        a = other_movement.minus(movement).squared_magnitude()
        if a == 0.0:  # they keep their distance
            if other.start.minus(self.start).magnitude() <= RADIUS:
                return self.start.plus(other.start).times(0.5)
            return None
        b = 2.0 * self.start.minus(other.start).dot(movement.minus(other_movement))
        c = -RADIUS * RADIUS + other.start.minus(self.start).squared_magnitude()
        discriminant = b * b - 4.0 * a * c
        if discriminant < 0.0:
            return None
        from_ = (-b - math.sqrt(discriminant)) / (2.0 * a)
        until = (-b + math.sqrt(discriminant)) / (2.0 * a)
        if from_ <= until and (
            from_ <= 1.0 <= until or from_ <= 0.0 <= until or (0.0 <= from_ and until <= 1.0)
        ):
            time = 0.0 if from_ <= 0.0 else from_
            place = (
                self.start.plus(movement.times(time))
                .plus(other.start.plus(other_movement.times(time)))
                .times(0.5)
            )
            return place if is_inside(place) else None
        return None


def is_inside(place: Vector3D) -> bool:
    return LEAST <= place.x <= MOST and LEAST <= place.y <= MOST and LEAST <= place.z <= MOST_Z
