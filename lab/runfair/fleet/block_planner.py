"""Distributes the blocks of a plan over free hosts.

A block is never split: its cells are compared with each other, and two machines differ by more than
most programs do. Pilots come first, because they set the floor of the stopping rule. A steady block
waits for the pilots of its cells. If a host fails, another host carries out its block from the
beginning.
"""

from __future__ import annotations

from collections import deque
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
    """

    waiting: deque[Portion]
    pilots: dict[str, int] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    out: dict[str, Portion] = field(default_factory=dict)

    @classmethod
    def of(cls, left: Collection[Portion]) -> BlockPlanner:
        planner = cls(deque(sorted(left, key=lambda one: one.executions[0].role != "pilot")))
        for portion in left:
            for one in portion.executions:
                if one.role == "pilot":
                    planner.pilots[one.cell] = planner.pilots.get(one.cell, 0) + 1
        return planner

    @property
    def finished(self) -> bool:
        return not self.waiting and not self.out

    def next_for(self, host: str) -> Portion | None:
        """The next portion for a free host. None if every remaining portion is being carried out,
        or waits for pilots that are being carried out.
        """
        if host in self.out:
            raise ValueError(f"{host} has a portion already")
        for index, portion in enumerate(self.waiting):
            if self._ready(portion):
                del self.waiting[index]
                self.out[host] = portion
                return portion
        return None

    def ended(self, host: str) -> Portion:
        """Notes that the host has carried out its portion."""
        portion = self.out.pop(host)
        for one in portion.executions:
            if one.role == "pilot":
                self.pilots[one.cell] -= 1
        return portion

    def lost(self, host: str) -> int:
        """Notes that the host failed. The failed host's portion will be handed out next. Returns
        how often a host has failed with this portion.
        """
        portion = self.out.pop(host)
        self.waiting.appendleft(portion)
        self.tries[portion.name] = self.tries.get(portion.name, 0) + 1
        return self.tries[portion.name]

    def _ready(self, portion: Portion) -> bool:
        if portion.executions[0].role == "pilot":
            return True
        return not any(self.pilots.get(cell) for cell in portion.cells)
