"""Who is on the page: each with a name, a colour, a shape and a dash, the same in every picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.result import CellResult
from runfair.report.page.palette import DASHES, SERIES, SHAPES, colour
from runfair.wording.naming import label
from runfair.wording.text import distinct

Identity = tuple[str, str, str]


@dataclass(frozen=True)
class Member:
    name: str
    number: int

    @property
    def colour(self) -> str:
        return colour(f"series-{self.number % SERIES}")

    @property
    def shape(self) -> str:
        # Who has the colour of another has not its shape.
        return SHAPES[(self.number + self.number // SERIES) % len(SHAPES)]

    @property
    def dash(self) -> list[int]:
        return list(DASHES[(self.number + self.number // SERIES) % len(DASHES)])


@dataclass(frozen=True)
class Cast:
    members: dict[Identity, Member]

    @classmethod
    def of(cls, cells: Sequence[CellResult]) -> Cast:
        """In the order of the plan."""
        first = {_identity(cell): cell for cell in reversed(cells)}
        ordered = dict.fromkeys(_identity(cell) for cell in cells)
        names = distinct(label(first[one]) for one in ordered)
        members = (Member(name, number) for number, name in enumerate(names))
        return cls(dict(zip(ordered, members, strict=True)))

    def member(self, cell: CellResult) -> Member:
        return self.members[_identity(cell)]

    def among(self, cells: Sequence[CellResult]) -> list[Member]:
        """Those of these cells, in the page's order."""
        return sorted({self.member(cell) for cell in cells}, key=lambda one: one.number)


def _identity(cell: CellResult) -> Identity:
    return (cell.variant, cell.tier, cell.service.service if cell.service is not None else "")
