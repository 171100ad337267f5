"""Constraints that determine one of two variables by the other one."""

from __future__ import annotations

from awfy.awfy.python.constraint import Constraint
from awfy.awfy.python.counts import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from awfy.awfy.python.planner import Planner
    from awfy.awfy.python.strength import Name
    from awfy.awfy.python.variable import Variable

FORWARD = 1
BACKWARD = 2


class BinaryConstraint(Constraint):
    __slots__ = ("one", "other", "direction")

    def __init__(self, one: Variable, other: Variable, name: Name, planner: Planner) -> None:
        super().__init__(name, planner)
        self.one = one
        self.other = other
        # None if the constraint is not satisfied.
        self.direction: int | None = None

    def is_forward(self) -> bool:
        return self.direction == FORWARD

    def is_satisfied(self) -> bool:
        return self.direction is not None

    def mark_unsatisfied(self) -> None:
        self.direction = None

    def add_to_graph(self) -> None:
        self.one.add_constraint(self)
        self.other.add_constraint(self)
        self.direction = None

    def remove_from_graph(self) -> None:
        self.one.remove_constraint(self)
        self.other.remove_constraint(self)
        self.direction = None

    def input(self) -> Variable:
        return self.one if self.is_forward() else self.other

    def output(self) -> Variable:
        return self.other if self.is_forward() else self.one

    def inputs_do(self, action: Callable[[Variable], None]) -> None:
        action(self.input())

    def inputs_have_some(self, condition: Callable[[Variable], bool]) -> bool:
        return condition(self.input())

    def choose_method(self, mark: int) -> None:
        one, other = self.one, self.other
        if one.mark == mark:
            self.direction = self.towards(other, mark, FORWARD)
        elif other.mark == mark or one.walk_strength.is_weaker_than(other.walk_strength):
            self.direction = self.towards(one, mark, BACKWARD)
        else:
            self.direction = self.towards(other, mark, FORWARD)

    def towards(self, output: Variable, mark: int, wanted: int) -> int | None:
        can_be = output.mark != mark and self.strength.is_stronger_than(output.walk_strength)
        return wanted if can_be else None

    def recalculate(self) -> None:
        counts.steps += 1  # tick
        source = self.input()
        output = self.output()
        output.walk_strength = self.strength.weakest(source.walk_strength)
        output.stays = source.stays
        if output.stays:
            self.execute()


class Equality(BinaryConstraint):
    """Both have the same value."""

    __slots__ = ()

    def __init__(self, one: Variable, other: Variable, name: Name, planner: Planner) -> None:
        super().__init__(one, other, name, planner)
        self.add(planner)

    def execute(self) -> None:
        counts.steps += 1  # tick
        self.output().value = self.input().value


class Scale(BinaryConstraint):
    """The other value is the one value times the scale, and the offset."""

    __slots__ = ("scale", "offset")

    def __init__(
        self,
        one: Variable,
        scale: Variable,
        offset: Variable,
        other: Variable,
        name: Name,
        planner: Planner,
    ) -> None:
        super().__init__(one, other, name, planner)
        self.scale = scale
        self.offset = offset
        self.add(planner)

    def add_to_graph(self) -> None:
        super().add_to_graph()
        self.scale.add_constraint(self)
        self.offset.add_constraint(self)

    def remove_from_graph(self) -> None:
        super().remove_from_graph()
        self.scale.remove_constraint(self)
        self.offset.remove_constraint(self)

    def inputs_do(self, action: Callable[[Variable], None]) -> None:
        super().inputs_do(action)
        action(self.scale)
        action(self.offset)

    def inputs_have_some(self, condition: Callable[[Variable], bool]) -> bool:
        return (
            super().inputs_have_some(condition) or condition(self.scale) or condition(self.offset)
        )

    def recalculate(self) -> None:
        counts.steps += 1  # tick
        source = self.input()
        output = self.output()
        output.walk_strength = self.strength.weakest(source.walk_strength)
        output.stays = source.stays and self.scale.stays and self.offset.stays
        if output.stays:
            self.execute()

    def execute(self) -> None:
        counts.steps += 1  # tick
        if self.is_forward():
            self.other.value = self.one.value * self.scale.value + self.offset.value
        else:
            self.one.value = (self.other.value - self.offset.value) // self.scale.value
