"""A variable of DeltaBlue's graph of constraints."""

from __future__ import annotations

from awfy.awfy.python.strength import ABSOLUTE_WEAKEST
from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.constraint import Constraint
    from awfy.awfy.python.planner import Planner


class Variable:
    __slots__ = ("value", "constraints", "determined_by", "mark", "walk_strength", "stays")

    def __init__(self, value: int, planner: Planner) -> None:
        self.value = value
        self.constraints: Vector[Constraint] = Vector()
        # The constraint that gives this variable its value, or None.
        self.determined_by: Constraint | None = None
        # The last pass of the planner that came here.
        self.mark = 0
        self.walk_strength = planner.strength(ABSOLUTE_WEAKEST)
        # Whether its value is constant while a plan is carried out.
        self.stays = True

    def add_constraint(self, constraint: Constraint) -> None:
        self.constraints.append(constraint)

    def remove_constraint(self, constraint: Constraint) -> None:
        self.constraints.remove(constraint)
        if self.determined_by is constraint:
            self.determined_by = None
