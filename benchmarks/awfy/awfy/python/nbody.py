"""The sun and its four largest planets. The answer is their energy after `inner` steps."""

from __future__ import annotations

import math

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

SOLAR_MASS = 4 * math.pi * math.pi
DAYS_A_YEAR = 365.24
STEP = 0.01
SCALE = 1e16


class Body:
    __slots__ = ("x", "y", "z", "vx", "vy", "vz", "mass")

    def __init__(
        self, x: float, y: float, z: float, vx: float, vy: float, vz: float, mass: float
    ) -> None:
        self.x = x
        self.y = y
        self.z = z
        self.vx = vx * DAYS_A_YEAR
        self.vy = vy * DAYS_A_YEAR
        self.vz = vz * DAYS_A_YEAR
        self.mass = mass * SOLAR_MASS


def make_bodies() -> list[Body]:
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        Body(
            4.841431442464721,
            -1.1603200440274284,
            -0.10362204447112311,
            0.001660076642744037,
            0.007699011184197404,
            -6.90460016972063e-5,
            0.0009547919384243266,
        ),  # Jupiter
        Body(
            8.34336671824458,
            4.124798564124305,
            -0.4035234171143214,
            -0.002767425107268624,
            0.004998528012349172,
            2.3041729757376393e-5,
            0.0002858859806661308,
        ),  # Saturn
        Body(
            12.894369562139131,
            -15.111151401698631,
            -0.22330757889265573,
            0.002964601375647616,
            0.0023784717395948095,
            -2.9658956854023756e-5,
            4.366244043351563e-5,
        ),  # Uranus
        Body(
            15.379697114850917,
            -25.919314609987964,
            0.17925877295037118,
            0.0026806777249038932,
            0.001628241700382423,
            -9.515922545197159e-5,
            5.1513890204661145e-5,
        ),  # Neptune
    ]
    px = 0.0
    py = 0.0
    pz = 0.0
    for body in bodies:
        px += body.vx * body.mass
        py += body.vy * body.mass
        pz += body.vz * body.mass
    bodies[0].vx = -px / SOLAR_MASS
    bodies[0].vy = -py / SOLAR_MASS
    bodies[0].vz = -pz / SOLAR_MASS
    return bodies


def advance(bodies: list[Body]) -> None:
    for i in range(len(bodies)):
        one = bodies[i]
        for j in range(i + 1, len(bodies)):
            counts.steps += 1  # tick
            other = bodies[j]
            dx = one.x - other.x
            dy = one.y - other.y
            dz = one.z - other.z
            squared = dx * dx + dy * dy + dz * dz
            magnitude = STEP / (squared * math.sqrt(squared))
            one.vx -= dx * other.mass * magnitude
            one.vy -= dy * other.mass * magnitude
            one.vz -= dz * other.mass * magnitude
            other.vx += dx * one.mass * magnitude
            other.vy += dy * one.mass * magnitude
            other.vz += dz * one.mass * magnitude
    for body in bodies:
        body.x += STEP * body.vx
        body.y += STEP * body.vy
        body.z += STEP * body.vz


def energy_of(bodies: list[Body]) -> float:
    energy = 0.0
    for i in range(len(bodies)):
        one = bodies[i]
        energy += 0.5 * one.mass * (one.vx * one.vx + one.vy * one.vy + one.vz * one.vz)
        for j in range(i + 1, len(bodies)):
            other = bodies[j]
            dx = one.x - other.x
            dy = one.y - other.y
            dz = one.z - other.z
            energy -= one.mass * other.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
    return energy


class NBody(Benchmark):
    __slots__ = ()

    def run(self, steps: int) -> int:
        bodies = make_bodies()
        for _ in range(steps):
            advance(bodies)
        return int(energy_of(bodies) * SCALE)
