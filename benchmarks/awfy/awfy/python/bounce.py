"""Balls that bounce off the walls of a box."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark, Random
from awfy.awfy.python.counts import counts

BALLS = 100
FRAMES = 50
LIMIT = 500


class Ball:
    __slots__ = ("x", "y", "x_velocity", "y_velocity")

    def __init__(self, random: Random) -> None:
        self.x = random.next() % LIMIT
        self.y = random.next() % LIMIT
        self.x_velocity = random.next() % 300 - 150
        self.y_velocity = random.next() % 300 - 150

    def bounce(self) -> bool:
        """Move the ball. Returns whether it met a wall."""
        counts.steps += 1  # tick
        bounced = False
        self.x += self.x_velocity
        self.y += self.y_velocity
        if self.x > LIMIT:
            self.x = LIMIT
            self.x_velocity = -abs(self.x_velocity)
            bounced = True
        if self.x < 0:
            self.x = 0
            self.x_velocity = abs(self.x_velocity)
            bounced = True
        if self.y > LIMIT:
            self.y = LIMIT
            self.y_velocity = -abs(self.y_velocity)
            bounced = True
        if self.y < 0:
            self.y = 0
            self.y_velocity = abs(self.y_velocity)
            bounced = True
        return bounced


class Bounce(Benchmark):
    __slots__ = ()

    def once(self) -> int:
        random = Random()
        balls = [Ball(random) for _ in range(BALLS)]
        bounces = 0
        for _ in range(FRAMES):
            for ball in balls:
                if ball.bounce():
                    bounces += 1
        return bounces
