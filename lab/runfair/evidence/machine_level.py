"""The machine's level: the time that the reference loop needed for constant work between
executions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceKind, ReferenceReading
from runfair.statistics.blocks import median

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
class UsualLevel:
    """The median of a lane, in nanoseconds per step, and the greatest change between its readings
    that counts as noise, as a share."""

    median_ns: float
    noise: float


@dataclass(frozen=True)
class MachineLevel:
    """All readings of a run, in order. Levels are compared only within a lane. A lane contains the
    readings of one kind of loop on one processor, between two restarts of the machine."""

    readings: tuple[ReferenceReading, ...] = ()

    @cached_property
    def lanes(self) -> dict[Lane, list[ReferenceReading]]:
        found: dict[Lane, list[ReferenceReading]] = {}
        for one in sorted(self.readings, key=lambda one: one.started_monotonic_ns):
            found.setdefault(_lane(one), []).append(one)
        return found

    @cached_property
    def _places(self) -> dict[Lane, int]:
        return {lane: place for place, lane in enumerate(self.lanes)}

    @cached_property
    def _lanes_of_boot(self) -> dict[str, list[Lane]]:
        found: dict[str, list[Lane]] = {}
        for lane in self.lanes:
            found.setdefault(lane[0], []).append(lane)
        return found

    @cached_property
    def _starts_ns(self) -> dict[Lane, list[int]]:
        return {
            lane: [one.started_monotonic_ns for one in members]
            for lane, members in self.lanes.items()
        }

    @cached_property
    def _after(self) -> dict[str, list[ReferenceReading]]:
        found: dict[str, list[ReferenceReading]] = {}
        for one in self.readings:
            found.setdefault(one.after, []).append(one)
        return found

    @cached_property
    def _medians(self) -> dict[tuple[Lane, Clock], float]:
        return self._of_lanes(lambda levels: float(np.median(levels)))

    @cached_property
    def _noises(self) -> dict[tuple[Lane, Clock], float]:
        return self._of_lanes(lambda levels: NOISE_FACTOR * _unevenness(levels))

    def _of_lanes(
        self, tell: Callable[[Sequence[float]], float]
    ) -> dict[tuple[Lane, Clock], float]:
        return {
            (lane, clock): tell([level_ns(one, clock) for one in members])
            for lane, members in self.lanes.items()
            for clock in CLOCKS
        }

    def after(self, executions: Sequence[Execution]) -> list[ReferenceReading]:
        """The readings that were taken directly after these executions."""
        return [reading for one in executions for reading in self._after.get(one.id, ())]

    def between(
        self, boot_id: str, processors: Collection[int], began_ns: int, ended_ns: int
    ) -> Iterator[ReferenceReading]:
        """The readings on these processors that began in this interval."""
        for lane in self._lanes_of_boot.get(boot_id, ()):
            if lane[2] in processors:
                starts_ns = self._starts_ns[lane]
                first, last = bisect_left(starts_ns, began_ns), bisect_left(starts_ns, ended_ns)
                yield from self.lanes[lane][first:last]

    def relative(self, reading: ReferenceReading) -> float:
        """The level of a reading divided by the median of its lane: 1.02 is 2% slower."""
        return level_ns(reading) / self.usual_ns(reading)

    def usual_ns(self, reading: ReferenceReading) -> float:
        """The median of a reading's lane, in nanoseconds per step."""
        return self._medians[_lane(reading), "cpu"]

    def noise(self, lane: Lane, clock: Clock = "cpu") -> float:
        """The greatest change between readings of a lane that counts as noise, as a share."""
        return self._noises[lane, clock]

    def medians_after(self, executions: Sequence[Execution]) -> Iterator[tuple[Lane, float]]:
        """For each lane with readings directly after these executions: their median, in nanoseconds
        per step."""
        own: dict[Lane, list[float]] = {}
        for one in self.after(executions):
            own.setdefault(_lane(one), []).append(level_ns(one))
        for lane in sorted(own, key=self._places.__getitem__):
            yield lane, median(np.array(own[lane]))

    def usual(self) -> dict[Lane, UsualLevel]:
        """The usual level of each lane."""
        return {
            lane: UsualLevel(self._medians[lane, "cpu"], self.noise(lane)) for lane in self.lanes
        }

    def without(self, executions: Collection[str]) -> MachineLevel:
        """The level from all readings but those that were taken directly after these executions."""
        if self._after.keys().isdisjoint(executions):
            return self
        return MachineLevel(tuple(one for one in self.readings if one.after not in executions))

    def moved(self, execution: Execution, clock: Clock, change: float) -> Moved | None:
        """The change of the reference loop around an execution whose levels differ by the share
        `change`. None if no lane of the execution's processors has readings on both sides whose
        noise is less than `change`."""
        found = []
        for lane in self._lanes_of_boot.get(execution.boot_id, ()):
            if lane[2] not in execution.processors:
                continue
            near = self._around(lane, execution)
            noise = self.noise(lane, clock)
            if near and noise < change:
                levels = [level_ns(one, clock) for one in near]
                by = spread(levels)
                found.append(Moved(by, by >= max(EXPLAINING_SHARE * change, noise)))
        return max(found, key=lambda one: (one.explains, one.by), default=None)

    def _around(self, lane: Lane, execution: Execution) -> list[ReferenceReading]:
        """The nearest readings before and after an execution; empty if there are none on one
        side."""
        members, began_ns = self.lanes[lane], execution.started_ns
        place = bisect_left(self._starts_ns[lane], began_ns)
        earlier = (members[at] for at in reversed(range(place)))
        ended = (one for one in earlier if one.ended_monotonic_ns <= began_ns)
        before, after = [*islice(ended, NEIGHBOURS)], members[place : place + NEIGHBOURS]
        return [*reversed(before), *after] if before and after else []


def _lane(reading: ReferenceReading) -> Lane:
    return reading.boot_id, reading.kind, reading.processor


def _unevenness(levels: Sequence[float]) -> float:
    """The median change from one reading to the next, as a share."""
    steps = np.abs(np.diff(np.log(levels)))
    return float(np.expm1(np.median(steps))) if len(steps) else 0.0
