"""An incremental solver of constraints. The answer is the sum of the values that are verified."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.binary_constraint import Equality, Scale
from awfy.awfy.python.constraint import Edit, Stay
from awfy.awfy.python.planner import Planner
from awfy.awfy.python.strength import (
    DEFAULT,
    PREFERRED,
    REQUIRED,
    STRONG_DEFAULT,
    strength_table,
)
from awfy.awfy.python.variable import Variable
from awfy.awfy.python.vector import Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from awfy.awfy.python.constraint import Constraint


class DeltaBlue(Benchmark):
    __slots__ = ("strengths", "sum")

    def run(self, length: int) -> int:
        self.strengths = strength_table()
        self.sum = 0
        self.chain(length)
        self.projection(length)
        return self.sum

    def verify(self, variable: Variable, expected: int) -> None:
        if variable.value != expected:
            raise RuntimeError(f"a variable has {variable.value}, not {expected}")
        self.sum += expected

    def chain(self, length: int) -> None:
        """Variables that are equal to their neighbours. The first one changes."""
        planner = Planner(self.strengths)
        variables = [Variable(0, planner) for _ in range(length + 1)]
        for i in range(length):
            Equality(variables[i], variables[i + 1], REQUIRED, planner)
        Stay(variables[length], STRONG_DEFAULT, planner)
        edit = Edit(variables[0], PREFERRED, planner)
        edits: Vector[Constraint] = Vector()
        edits.append(edit)
        plan = planner.plan_from(edits)
        for i in range(100):
            variables[0].value = i
            plan.execute()
            self.verify(variables[length], i)
        edit.destroy(planner)

    def projection(self, length: int) -> None:
        """Sources with their images by a common scale and offset. Each of the four changes."""
        planner = Planner(self.strengths)
        images: Vector[Variable] = Vector()
        scale = Variable(10, planner)
        offset = Variable(1000, planner)
        source: Variable | Any = None
        image: Variable | Any = None
        for i in range(1, length + 1):
            source = Variable(i, planner)
            image = Variable(i, planner)
            images.append(image)
            Stay(source, DEFAULT, planner)
            Scale(source, scale, offset, image, REQUIRED, planner)
        planner.change(source, 17)
        self.verify(image, 1170)
        planner.change(image, 1050)
        self.verify(source, 5)
        planner.change(scale, 5)
        for i in range(1, length):
            self.verify(images.at(i - 1), i * 5 + 1000)
        planner.change(offset, 2000)
        for i in range(1, length):
            self.verify(images.at(i - 1), i * 5 + 2000)
