"""A table as every output shows it: texts in rows and columns, with the notes beneath."""

from __future__ import annotations

from dataclasses import dataclass

from runfair.formats.finding import VerdictState


@dataclass(frozen=True)
class Row:
    """`state` is the worst verdict of the row, for colour; None for what has no figures."""

    cells: tuple[str, ...]
    state: VerdictState | None


@dataclass(frozen=True)
class Table:
    """`narrow` shows the same, one part after another, where there is no room for all."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    narrow: tuple[Table, ...] = ()
