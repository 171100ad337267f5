"""The machine's level: how fast its reference loop did the same work between executions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceKind, ReferenceReading

# The number of readings used on each side of an execution, of one kind on one processor.
NEIGHBOURS = 2
# The machine explains a program's change if the reference loop changed by at least this part of it.
EXPLAINING_SHARE = 0.5
# Successive readings differ. Differences up to three times their median count as noise.
NOISE_FACTOR = 3.0

# The number of parts of a stretch of iterations; their medians show its level over time.
PARTS = 4

Lane = tuple[str, ReferenceKind, int]
Clock = Literal["wall", "cpu"]


def level_ns(reading: ReferenceReading, clock: Clock = "cpu") -> float:
    """The machine's level at a reading, in nanoseconds per step of the loop."""
    return (reading.cpu_ns if clock == "cpu" else reading.wall_ns) / reading.steps


def spread(levels: Sequence[float]) -> float:
    """The share by which the greatest level exceeds the least; 0 without levels."""
    return max(levels) / min(levels) - 1 if levels and min(levels) > 0 else 0.0


def wandering(times_ns: npt.ArrayLike) -> float:
    """How far the level of iterations moved: the spread of the medians of their parts."""
    parts = np.array_split(np.asarray(times_ns), PARTS)
    return spread([float(np.median(part)) for part in parts if len(part)])


@dataclass(frozen=True)
class Moved:
    """How far the reference loop moved around an execution, as a share, and whether that explains
    the program's change."""

    by: float
    explains: bool


@dataclass(frozen=True)
class MachineLevel:
    """All readings of a run, in order. Levels are compared within a lane: the readings of one boot,
    kind and processor."""

    readings: tuple[ReferenceReading, ...] = ()

    @cached_property
    def lanes(self) -> dict[Lane, list[ReferenceReading]]:
        found: dict[Lane, list[ReferenceReading]] = {}
        for one in sorted(self.readings, key=lambda one: one.started_monotonic_ns):
            found.setdefault((one.boot_id, one.kind, one.processor), []).append(one)
        return found

    @cached_property
    def _medians(self) -> dict[tuple[Lane, Clock], float]:
        clocks: tuple[Clock, ...] = ("wall", "cpu")
        return {
            (lane, clock): float(np.median([level_ns(one, clock) for one in members]))
            for lane, members in self.lanes.items()
            for clock in clocks
        }

    def relative(self, reading: ReferenceReading, clock: Clock = "cpu") -> float:
        """A reading's level over the median of its lane: 1.02 is 2% slower."""
        return level_ns(reading, clock) / self.usual_ns(reading, clock)

    def usual_ns(self, reading: ReferenceReading, clock: Clock = "cpu") -> float:
        """The median of a reading's lane, in nanoseconds a step."""
        return self._medians[(reading.boot_id, reading.kind, reading.processor), clock]

    def noise(self, members: Sequence[ReferenceReading], clock: Clock = "cpu") -> float:
        """The change between readings of a lane that still counts as noise, as a share."""
        return NOISE_FACTOR * _unevenness([level_ns(one, clock) for one in members])

    def moved(self, execution: Execution, clock: Clock, change: float) -> Moved | None:
        """How the reference moved around an execution whose levels differ by the share `change`;
        None if no lane has even enough readings on both sides."""
        found = []
        for lane, members in self.lanes.items():
            near = _around(members, execution) if lane[0] == execution.boot_id else []
            noise = self.noise(members, clock)
            if near and noise < change:
                levels = [level_ns(one, clock) for one in near]
                by = spread(levels)
                found.append(Moved(by, by >= max(EXPLAINING_SHARE * change, noise)))
        return max(found, key=lambda one: (one.explains, one.by), default=None)


def _around(members: Sequence[ReferenceReading], execution: Execution) -> list[ReferenceReading]:
    """The nearest readings before and after an execution; empty if one side has none."""
    began_ns = execution.started_ns
    before = [one for one in members if one.ended_monotonic_ns <= began_ns]
    after = [one for one in members if one.started_monotonic_ns >= began_ns]
    if not before or not after:
        return []
    return [*before[-NEIGHBOURS:], *after[:NEIGHBOURS]]


def _unevenness(levels: Sequence[float]) -> float:
    """The median change from one reading to the next, as a share."""
    steps = np.abs(np.diff(np.log(levels)))
    return float(np.expm1(np.median(steps))) if len(steps) else 0.0
