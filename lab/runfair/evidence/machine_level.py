"""The machine's level: the time that the reference loop needed for constant work between
executions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceKind, ReferenceReading

# The number of readings that are used on each side of an execution, for one kind and one processor.
NEIGHBOURS = 2
# The machine explains a program's change if the reference loop changed by at least this part of it.
EXPLAINING_SHARE = 0.5
# Successive readings differ. Differences up to three times their median count as noise.
NOISE_FACTOR = 3.0

# The number of parts into which iterations are divided. The medians of the parts show the level
# over time.
PARTS = 4

Lane = tuple[str, ReferenceKind, int]
Clock = Literal["wall", "cpu"]
CLOCKS: tuple[Clock, ...] = get_args(Clock)


def level_ns(reading: ReferenceReading, clock: Clock = "cpu") -> float:
    """The machine's level at a reading, in nanoseconds per step of the loop."""
    return (reading.cpu_ns if clock == "cpu" else reading.wall_ns) / reading.steps


def spread(levels: Sequence[float]) -> float:
    """The share by which the greatest level exceeds the least; 0 if there are no levels."""
    return max(levels) / min(levels) - 1 if levels and min(levels) > 0 else 0.0


def wandering(times_ns: npt.ArrayLike) -> float:
    """How much the level of the iterations changed: the spread of the medians of their parts."""
    parts = np.array_split(np.asarray(times_ns), PARTS)
    return spread([float(np.median(part)) for part in parts if len(part)])


@dataclass(frozen=True)
class Moved:
    """The change of the reference loop's speed around an execution, as a share, and whether it
    explains the program's change."""

    by: float
    explains: bool


@dataclass(frozen=True)
class MachineLevel:
    """All readings of a run, in order. Levels are compared only within a lane. A lane has the
    readings of one boot, kind and processor."""

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
        """The level of a reading divided by the median of its lane: 1.02 is 2% slower."""
        return level_ns(reading, clock) / self.usual_ns(reading, clock)

    def usual_ns(self, reading: ReferenceReading, clock: Clock = "cpu") -> float:
        """The median of a reading's lane, in nanoseconds per step."""
        return self._medians[(reading.boot_id, reading.kind, reading.processor), clock]

    def noise(self, members: Sequence[ReferenceReading], clock: Clock = "cpu") -> float:
        """The greatest change between readings of a lane that counts as noise, as a share."""
        return NOISE_FACTOR * _unevenness([level_ns(one, clock) for one in members])

    def moved(self, execution: Execution, clock: Clock, change: float) -> Moved | None:
        """The change of the reference loop around an execution whose levels differ by the share
        `change`. None if no lane has readings on both sides whose noise is less than `change`."""
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
    """The nearest readings before and after an execution; empty if there are none on one side."""
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
