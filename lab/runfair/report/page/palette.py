"""The colours, shapes and dashes of a page's series. No series is distinguished by colour alone.

The pictures name CSS variables, so that light, dark and print themes use the same drawing. Exported
files contain the light theme's colours. The series' colours have a contrast of at least 3 : 1 to
the background (WCAG 2.2, 1.4.11). Any two of these colours can be distinguished under each of the
three kinds of colour blindness (lab/tests/report/page/test_palette.py simulates them).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.result import CellResult
from runfair.wording.naming import label
from runfair.wording.text import distinct

Theme = dict[str, str]

SERIES = 8

LIGHT: Theme = {
    "background": "#ffffff",
    "surface": "#f5f6f8",
    "ink": "#1b1f24",
    "quiet": "#57606a",
    "grid": "#dde1e6",
    "line": "#8c959f",
    "link": "#0550ae",
    "fair": "#1a6b3c",
    "flagged": "#8a5300",
    "void": "#a40e26",
    "steady": "#d6e9f8",
    "series-0": "#1a3ff8",
    "series-1": "#d27f18",
    "series-2": "#1f9ca6",
    "series-3": "#480aa5",
    "series-4": "#1b1f24",
    "series-5": "#a3550f",
    "series-6": "#6c4f7a",
    "series-7": "#7a2b05",
}
DARK: Theme = {
    "background": "#14171c",
    "surface": "#1d2127",
    "ink": "#e6e9ed",
    "quiet": "#a3adb8",
    "grid": "#323841",
    "line": "#76808c",
    "link": "#79b8ff",
    "fair": "#63c58b",
    "flagged": "#e3a94b",
    "void": "#ff8c94",
    "steady": "#1c3a52",
    "series-0": "#708efd",
    "series-1": "#ff9d06",
    "series-2": "#0cd59c",
    "series-3": "#6155d2",
    "series-4": "#e6e9ed",
    "series-5": "#e55805",
    "series-6": "#a7829d",
    "series-7": "#ab4154",
}
SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-right", "triangle-left"),
)
DASHES: tuple[tuple[int, ...], ...] = (
    (1, 0),
    (7, 3),
    (2, 2),
    (9, 3, 2, 3),
    (4, 2),
    (12, 4),
    (1, 4),
    (9, 2, 2, 2, 2, 2),
)
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")


def colour(name: str) -> str:
    """The name by which a picture refers to a colour of the theme."""
    return f"var(--{name})"


def written_in(text: str, theme: Theme) -> str:
    """The text, with the names of colours replaced by the theme's colours."""
    return _VARIABLE.sub(lambda found: theme.get(found[1], found[0]), text)


Identity = tuple[str, str, str]


@dataclass(frozen=True)
class Series:
    name: str
    number: int

    @property
    def colour(self) -> str:
        return colour(f"series-{self.number % SERIES}")

    @property
    def shape(self) -> str:
        # Series that share a colour have different shapes.
        return SHAPES[(self.number + self.number // SERIES) % len(SHAPES)]

    @property
    def dash(self) -> list[int]:
        return list(DASHES[(self.number + self.number // SERIES) % len(DASHES)])


@dataclass(frozen=True)
class Legend:
    by_identity: dict[Identity, Series]

    @classmethod
    def of(cls, cells: Sequence[CellResult]) -> Legend:
        """The legend of these cells: a series for each variant or service, in the order of the
        plan."""
        first = {_identity(cell): cell for cell in reversed(cells)}
        ordered = dict.fromkeys(_identity(cell) for cell in cells)
        names = distinct(label(first[one]) for one in ordered)
        by_identity = (Series(name, number) for number, name in enumerate(names))
        return cls(dict(zip(ordered, by_identity, strict=True)))

    def series(self, cell: CellResult) -> Series:
        return self.by_identity[_identity(cell)]

    def among(self, cells: Sequence[CellResult]) -> list[Series]:
        """The series of these cells, in the page's order."""
        return sorted({self.series(cell) for cell in cells}, key=lambda one: one.number)


def _identity(cell: CellResult) -> Identity:
    return (cell.variant, cell.tier, "" if cell.served is None else cell.served.service)
