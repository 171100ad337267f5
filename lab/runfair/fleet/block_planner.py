"""Distributes the blocks of a plan over free hosts.

A block is never split: its cells are compared with each other, and two machines differ by more than
most programs do. Pilots come first, because they set the floor of the stopping rule. A steady block
waits for the pilots of its cells. If a host fails, another host carries out its block from the
beginning.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from runfair.experiment.engine import remaining
from runfair.formats.execution import Execution
from runfair.formats.plan import Plan, PlannedExecution

MOST_TRIES = 3


@dataclass(frozen=True, eq=False)
class Portion:
    """The executions that one host carries out in order: a block, or a single execution that
    belongs to no block. `cells` are the cells of these executions.
    """

    executions: tuple[PlannedExecution, ...]

    @property
    def cells(self) -> frozenset[str]:
        return frozenset(one.cell for one in self.executions)

    @property
    def name(self) -> str:
        return self.executions[0].id

    @property
    def is_pilot(self) -> bool:
        return self.executions[0].role == "pilot"


def portions(plan: Plan, done: Sequence[Execution]) -> list[Portion]:
    """The portions of a plan that are still to be carried out, in the order of the plan. A block
    that was begun is repeated as a whole.
    """
    groups = {cell.id: cell.group for cell in plan.cells}
    found: dict[tuple[object, ...], list[PlannedExecution]] = {}
    for planned in remaining(plan, done):
        key: tuple[object, ...] = (planned.id,)
        if planned.role == "block":
            key = (planned.block, planned.repeat, groups[planned.cell])
        found.setdefault(key, []).append(planned)
    return [Portion(tuple(members)) for members in found.values()]


@dataclass
class BlockPlanner:
    """The portions that are still to be carried out. `next_for` hands out a portion. The caller
    then calls `ended` if the host carried it out, or `lost` if the host failed.

    Portions that wait for pilots are kept apart from those that are ready, so that a call takes
    microseconds even if thousands of portions wait.
    """

    pilots: dict[str, int] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    out: dict[str, Portion] = field(default_factory=dict)
    _ready: list[tuple[int, Portion]] = field(default_factory=list)
    _blocked: dict[str, list[tuple[int, Portion]]] = field(default_factory=dict)
    _last: int = 0
    _first: int = 0

    @classmethod
    def of(cls, left: Collection[Portion]) -> BlockPlanner:
        planner = cls()
        for portion in left:
            for one in portion.executions:
                if one.role == "pilot":
                    planner.pilots[one.cell] = planner.pilots.get(one.cell, 0) + 1
        for portion in sorted(left, key=lambda one: not one.is_pilot):
            planner.add(portion)
        return planner

    def add(self, portion: Portion) -> None:
        """Puts a portion behind all others."""
        self._last += 1
        self._put(self._last, portion)

    @property
    def finished(self) -> bool:
        return not self._ready and not self._blocked and not self.out

    def next_for(self, host: str) -> Portion | None:
        """The next portion for a free host. None if every remaining portion is being carried out,
        or waits for pilots that are being carried out.
        """
        if host in self.out:
            raise ValueError(f"{host} still carries out another portion of the run")
        if not self._ready:
            return None
        _, portion = heapq.heappop(self._ready)
        self.out[host] = portion
        return portion

    def ended(self, host: str) -> Portion:
        """Notes that the host has carried out its portion."""
        portion = self.out.pop(host)
        for one in portion.executions:
            if one.role == "pilot":
                self.pilots[one.cell] -= 1
                if not self.pilots[one.cell]:
                    for place, waits in self._blocked.pop(one.cell, []):
                        self._put(place, waits)
        return portion

    def lost(self, host: str) -> int:
        """Notes that the host failed. The failed host's portion will be handed out next. Returns
        how often a host has failed with this portion.
        """
        portion = self.out.pop(host)
        self._first -= 1
        self._put(self._first, portion)
        self.tries[portion.name] = self.tries.get(portion.name, 0) + 1
        return self.tries[portion.name]

    def _put(self, place: int, portion: Portion) -> None:
        """Makes a portion ready, or lets it wait for one of the cells whose pilots are missing."""
        if not portion.is_pilot:
            for cell in portion.cells:
                if self.pilots.get(cell):
                    self._blocked.setdefault(cell, []).append((place, portion))
                    return
        heapq.heappush(self._ready, (place, portion))
