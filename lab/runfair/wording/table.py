"""A table for all outputs: texts in rows and columns, followed by notes."""

from __future__ import annotations

from dataclasses import dataclass

from runfair.formats.finding import VerdictState


@dataclass(frozen=True)
class Row:
    """A row of texts. `state` is the worst verdict of the row's figures, and determines the colour;
    None if the row has no figures."""

    cells: tuple[str, ...]
    state: VerdictState | None


@dataclass(frozen=True)
class Table:
    """A table. `narrow` has smaller tables with the same content, for terminals without enough
    room."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    narrow: tuple[Table, ...] = ()
