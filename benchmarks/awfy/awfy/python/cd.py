"""Collision detection. The answer is the number of collisions of `inner` aircraft in 200 frames."""

from __future__ import annotations

import math

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.detector import Aircraft, Detector
from awfy.awfy.python.motion import CallSign
from awfy.awfy.python.places import Vector3D
from awfy.awfy.python.vector import Vector

FRAMES = 200


def frame_at(signs: Vector[CallSign], time: float) -> Vector[Aircraft]:
    """Pairs of aircraft that fly along waves, which meet."""
    frame: Vector[Aircraft] = Vector()
    for i in range(0, signs.size(), 2):
        cosine = math.cos(time) * 2.0 + i * 3.0
        frame.append(Aircraft(signs.at(i), Vector3D(time, cosine, 10.0)))
        sine = math.sin(time) * 2.0 + i * 3.0
        frame.append(Aircraft(signs.at(i + 1), Vector3D(time, sine, 10.0)))
    return frame


class CD(Benchmark):
    __slots__ = ()

    def run(self, aircraft: int) -> int:
        signs: Vector[CallSign] = Vector()
        for i in range(aircraft):
            signs.append(CallSign(i))
        detector = Detector()
        collisions = 0
        for i in range(FRAMES):
            collisions += detector.collisions(frame_at(signs, i / 10.0)).size()
        return collisions
