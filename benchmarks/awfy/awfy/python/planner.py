"""Keeps a graph of constraints satisfied, and makes plans that compute it again."""

from __future__ import annotations

from awfy.awfy.python.constraint import Edit
from awfy.awfy.python.strength import ABSOLUTE_WEAKEST, PREFERRED
from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from awfy.awfy.python.constraint import Constraint
    from awfy.awfy.python.identity_dictionary import IdentityDictionary
    from awfy.awfy.python.strength import Name, Strength
    from awfy.awfy.python.variable import Variable


class Plan:
    """Constraints in an order in which they can be executed."""

    __slots__ = ("constraints",)

    def __init__(self) -> None:
        self.constraints: Vector[Constraint] = Vector()

    def append(self, constraint: Constraint) -> None:
        self.constraints.append(constraint)

    def execute(self) -> None:
        self.constraints.for_each(lambda constraint: constraint.execute())


def consuming_do(variable: Variable, action: Callable[[Constraint], object]) -> None:
    """The satisfied constraints that read a variable."""
    determining = variable.determined_by

    def act(constraint: Constraint) -> None:
        if constraint is not determining and constraint.is_satisfied():
            action(constraint)

    variable.constraints.for_each(act)


def add_consuming(variable: Variable, todo: Vector[Constraint]) -> None:
    consuming_do(variable, todo.append)


class Planner:
    __slots__ = ("strengths", "mark")

    def __init__(self, strengths: IdentityDictionary[Name, Strength]) -> None:
        self.strengths = strengths
        self.mark = 1

    def strength(self, name: Name) -> Strength | Any:
        return self.strengths.get(name)

    def new_mark(self) -> int:
        last = self.mark
        self.mark += 1
        return last

    def incremental_add(self, constraint: Constraint) -> None:
        """Satisfy a new constraint, and then each constraint that was overridden."""
        mark = self.new_mark()
        overridden = constraint.satisfy(mark, self)
        while overridden is not None:
            overridden = overridden.satisfy(mark, self)

    def incremental_remove(self, constraint: Constraint) -> None:
        """Take a constraint out, and satisfy those that can be without it."""
        output = constraint.output()
        constraint.mark_unsatisfied()
        constraint.remove_from_graph()
        self.remove_propagate_from(output).for_each(self.incremental_add)

    def plan_from(self, constraints: Vector[Constraint]) -> Plan:
        sources: Vector[Constraint] = Vector()

        def add_source(constraint: Constraint) -> None:
            if constraint.is_input() and constraint.is_satisfied():
                sources.append(constraint)

        constraints.for_each(add_source)
        return self.make_plan(sources)

    def make_plan(self, sources: Vector[Constraint]) -> Plan:
        mark = self.new_mark()
        plan = Plan()
        todo = sources
        while not todo.is_empty():
            constraint = todo.remove_first()
            output = constraint.output()
            if output.mark != mark and constraint.inputs_known(mark):
                plan.append(constraint)
                output.mark = mark
                add_consuming(output, todo)
        return plan

    def propagate(self, constraint: Constraint, mark: int) -> bool:
        """Recalculate all that depends on a constraint. Returns whether there is no cycle."""
        todo: Vector[Constraint] = Vector()
        todo.append(constraint)
        while not todo.is_empty():
            following = todo.remove_first()
            if following.output().mark == mark:
                self.incremental_remove(constraint)
                return False
            following.recalculate()
            add_consuming(following.output(), todo)
        return True

    def remove_propagate_from(self, removed: Variable) -> Vector[Constraint]:
        """Constraints that cannot be satisfied any more, the strongest first."""
        unsatisfied: Vector[Constraint] = Vector()
        removed.determined_by = None
        removed.walk_strength = self.strength(ABSOLUTE_WEAKEST)
        removed.stays = True
        todo: Vector[Variable] = Vector()
        todo.append(removed)
        while not todo.is_empty():
            variable = todo.remove_first()

            def add_unsatisfied(constraint: Constraint) -> None:
                if not constraint.is_satisfied():
                    unsatisfied.append(constraint)

            def follow(constraint: Constraint) -> None:
                constraint.recalculate()
                todo.append(constraint.output())

            variable.constraints.for_each(add_unsatisfied)
            consuming_do(variable, follow)
        unsatisfied.sort(lambda one, other: one.strength.is_stronger_than(other.strength))
        return unsatisfied

    def change(self, variable: Variable, value: int) -> None:
        """Give a variable a value from outside, ten times."""
        edit = Edit(variable, PREFERRED, self)
        edits: Vector[Constraint] = Vector()
        edits.append(edit)
        plan = self.plan_from(edits)
        for _ in range(10):
            variable.value = value
            plan.execute()
        edit.destroy(self)
