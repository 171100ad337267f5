"""A table for all outputs: texts in rows and columns, with the notes beneath."""

from __future__ import annotations

from dataclasses import dataclass

from runfair.formats.finding import VerdictState


@dataclass(frozen=True)
class Row:
    """A row of texts. `state` is its worst verdict, for colour; None without figures."""

    cells: tuple[str, ...]
    state: VerdictState | None


@dataclass(frozen=True)
class Table:
    """A table. `narrow` are smaller tables with the same content, for where there is no room."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    narrow: tuple[Table, ...] = ()
