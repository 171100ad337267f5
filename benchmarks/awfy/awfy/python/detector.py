"""Finds the aircraft that come too close to each other from one frame to the next."""

from __future__ import annotations

import math

from awfy.awfy.python.counts import counts
from awfy.awfy.python.motion import LEAST, MOST, RADIUS, Motion
from awfy.awfy.python.places import Vector2D
from awfy.awfy.python.red_black_tree import RedBlackTree
from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.motion import CallSign
    from awfy.awfy.python.places import Vector3D

VOXEL = 2.0 * RADIUS
RIGHT = Vector2D(VOXEL, 0.0)
UP = Vector2D(0.0, VOXEL)


class Aircraft:
    __slots__ = ("sign", "place")

    def __init__(self, sign: CallSign, place: Vector3D) -> None:
        self.sign = sign
        self.place = place


class Collision:
    __slots__ = ("one", "other", "place")

    def __init__(self, one: CallSign, other: CallSign, place: Vector3D) -> None:
        self.one = one
        self.other = other
        self.place = place


class Detector:
    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places: RedBlackTree[CallSign, Vector3D] = RedBlackTree()

    def collisions(self, frame: Vector[Aircraft]) -> Vector[Collision]:
        motions = self.motions(frame)
        collisions: Vector[Collision] = Vector()

        def compare_all(crowd: Vector[Motion]) -> None:
            for i in range(crowd.size()):
                one = crowd.at(i)
                for j in range(i + 1, crowd.size()):
                    other = crowd.at(j)
                    place = one.intersection(other)
                    if place is not None:
                        collisions.append(Collision(one.sign, other.sign, place))

        crowds(motions).for_each(compare_all)
        return collisions

    def motions(self, frame: Vector[Aircraft]) -> Vector[Motion]:
        """Motions since the last frame. Aircraft that are gone are forgotten."""
        motions: Vector[Motion] = Vector()
        seen: RedBlackTree[CallSign, bool] = RedBlackTree()

        def see(aircraft: Aircraft) -> None:
            place = aircraft.place
            old = self.places.put(aircraft.sign, place)
            seen.put(aircraft.sign, True)
            motions.append(Motion(aircraft.sign, place if old is None else old, place))

        frame.for_each(see)
        gone: Vector[CallSign] = Vector()

        def look(sign: CallSign, _place: Vector3D) -> None:
            if seen.get(sign) is None:
                gone.append(sign)

        self.places.for_each(look)
        gone.for_each(self.places.remove)
        return motions


def crowds(motions: Vector[Motion]) -> Vector[Vector[Motion]]:
    """The motions that share a voxel."""
    voxels: RedBlackTree[Vector2D, Vector[Motion]] = RedBlackTree()
    motions.for_each(lambda motion: draw(motion, voxel_of(motion.start), voxels, RedBlackTree()))
    crowds: Vector[Vector[Motion]] = Vector()

    def look(_voxel: Vector2D, inside: Vector[Motion]) -> None:
        if inside.size() > 1:
            crowds.append(inside)

    voxels.for_each(look)
    return crowds


def voxel_of(place: Vector3D) -> Vector2D:
    x = VOXEL * int(place.x / VOXEL)
    y = VOXEL * int(place.y / VOXEL)
    return Vector2D(x - VOXEL if place.x < 0.0 else x, y - VOXEL if place.y < 0.0 else y)


def draw(
    motion: Motion,
    voxel: Vector2D,
    voxels: RedBlackTree[Vector2D, Vector[Motion]],
    seen: RedBlackTree[Vector2D, bool],
) -> None:
    """Put a motion into a voxel and into all others that it passes."""
    counts.steps += 1  # tick
    if not passes(motion, voxel) or seen.put(voxel, True) is not None:
        return
    inside = voxels.get(voxel)
    if inside is None:
        inside = Vector()
        voxels.put(voxel, inside)
    inside.append(motion)
    draw(motion, voxel.minus(RIGHT), voxels, seen)
    draw(motion, voxel.plus(RIGHT), voxels, seen)
    draw(motion, voxel.minus(UP), voxels, seen)
    draw(motion, voxel.plus(UP), voxels, seen)
    draw(motion, voxel.minus(RIGHT).minus(UP), voxels, seen)
    draw(motion, voxel.minus(RIGHT).plus(UP), voxels, seen)
    draw(motion, voxel.plus(RIGHT).minus(UP), voxels, seen)
    draw(motion, voxel.plus(RIGHT).plus(UP), voxels, seen)


def passes(motion: Motion, voxel: Vector2D) -> bool:
    if voxel.x > MOST or voxel.x < LEAST or voxel.y > MOST or voxel.y < LEAST:
        return False
    margin = RADIUS / 2.0
    x = motion.start.x
    dx = motion.end.x - x
    low_x = voxel.x - margin - x
    high_x = voxel.x + VOXEL + margin - x
    if dx == 0.0:  # a division by zero, which Python refuses
        low_x *= math.inf
        high_x *= math.inf
    else:
        low_x /= dx
        high_x /= dx
    if dx < 0.0:
        low_x, high_x = high_x, low_x
    y = motion.start.y
    dy = motion.end.y - y
    low_y = voxel.y - margin - y
    high_y = voxel.y + VOXEL + margin - y
    if dy == 0.0:
        low_y *= math.inf
        high_y *= math.inf
    else:
        low_y /= dy
        high_y /= dy
    if dy < 0.0:
        low_y, high_y = high_y, low_y
    return (
        meets(dx, x, voxel.x, margin, low_x, high_x)
        and meets(dy, y, voxel.y, margin, low_y, high_y)
        and (
            dx == 0.0
            or dy == 0.0
            or low_y <= high_x <= high_y
            or low_y <= low_x <= high_y
            or (low_x <= low_y and high_y <= high_x)
        )
    )


def meets(
    movement: float, start: float, voxel: float, margin: float, low: float, high: float
) -> bool:
    """In one dimension: without a movement by the place, else by the time."""
    return (
        (movement == 0.0 and voxel <= start + margin and start - margin <= voxel + VOXEL)
        or low <= 1.0 <= high
        or low <= 0.0 <= high
        or (0.0 <= low and high <= 1.0)
    )
