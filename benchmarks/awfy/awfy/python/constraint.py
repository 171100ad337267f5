"""Relations of variables that the planner keeps, by giving one of them its value."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.strength import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from awfy.awfy.python.planner import Planner
    from awfy.awfy.python.strength import Name
    from awfy.awfy.python.variable import Variable


class Constraint:
    """A constraint. A subclass says which variables it has, and how it computes one of them."""

    __slots__ = ("strength",)

    def __init__(self, name: Name, planner: Planner) -> None:
        self.strength = planner.strength(name)

    def is_satisfied(self) -> bool:
        raise NotImplementedError

    def mark_unsatisfied(self) -> None:
        raise NotImplementedError

    def add_to_graph(self) -> None:
        raise NotImplementedError

    def remove_from_graph(self) -> None:
        raise NotImplementedError

    def output(self) -> Variable:
        """The variable that the constraint determines now."""
        raise NotImplementedError

    def inputs_do(self, action: Callable[[Variable], None]) -> None:
        raise NotImplementedError

    def inputs_have_some(self, condition: Callable[[Variable], bool]) -> bool:
        raise NotImplementedError

    def choose_method(self, mark: int) -> None:
        """Decide whether the constraint can be satisfied, and which way."""
        raise NotImplementedError

    def recalculate(self) -> None:
        """Compute the output's strength, and its value if that is constant."""
        raise NotImplementedError

    def execute(self) -> None:
        """Compute the output's value."""

    def is_input(self) -> bool:
        """Whether its value comes from outside."""
        return False

    def inputs_known(self, mark: int) -> bool:
        """Whether each input has a value that is constant, or known to this pass."""
        return not self.inputs_have_some(
            lambda variable: (
                variable.mark != mark and not variable.stays and variable.determined_by is not None
            )
        )

    def add(self, planner: Planner) -> None:
        self.add_to_graph()
        planner.incremental_add(self)

    def destroy(self, planner: Planner) -> None:
        """Remove it. It is removed from the graph twice if it is satisfied, as in the suite."""
        if self.is_satisfied():
            planner.incremental_remove(self)
        self.remove_from_graph()

    def satisfy(self, mark: int, planner: Planner) -> Constraint | None:
        """Satisfy this constraint. Returns the constraint that it overrides, or None."""
        counts.steps += 1  # tick
        self.choose_method(mark)
        if not self.is_satisfied():
            if self.strength.name is REQUIRED:
                raise RuntimeError("a required constraint cannot be satisfied")
            return None

        def set_mark(variable: Variable) -> None:
            variable.mark = mark

        self.inputs_do(set_mark)
        output = self.output()
        overridden = output.determined_by
        if overridden is not None:
            overridden.mark_unsatisfied()
        output.determined_by = self
        if not planner.propagate(self, mark):
            raise RuntimeError("a cycle of constraints")
        output.mark = mark
        return overridden


class Unary(Constraint):
    """A constraint on one variable."""

    __slots__ = ("variable", "satisfied")

    def __init__(self, output: Variable, name: Name, planner: Planner) -> None:
        super().__init__(name, planner)
        self.variable = output
        self.satisfied = False
        self.add(planner)

    def is_satisfied(self) -> bool:
        return self.satisfied

    def mark_unsatisfied(self) -> None:
        self.satisfied = False

    def add_to_graph(self) -> None:
        self.variable.add_constraint(self)
        self.satisfied = False

    def remove_from_graph(self) -> None:
        self.variable.remove_constraint(self)
        self.satisfied = False

    def output(self) -> Variable:
        return self.variable

    def inputs_do(self, _action: Callable[[Variable], None]) -> None:
        pass

    def inputs_have_some(self, _condition: Callable[[Variable], bool]) -> bool:
        return False

    def choose_method(self, mark: int) -> None:
        output = self.variable
        self.satisfied = output.mark != mark and self.strength.is_stronger_than(
            output.walk_strength
        )

    def recalculate(self) -> None:
        counts.steps += 1  # tick
        self.variable.walk_strength = self.strength
        self.variable.stays = not self.is_input()
        if self.variable.stays:
            self.execute()


class Edit(Unary):
    """The variable's value comes from outside."""

    __slots__ = ()

    def is_input(self) -> bool:
        return True


class Stay(Unary):
    """The variable keeps its value."""

    __slots__ = ()
