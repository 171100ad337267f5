"""Tables of comma- or tab-separated values within a text, found by their header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from runfair.formats.foreign.source import Source


@dataclass(frozen=True)
class Table:
    """The rows below a header, by column; `line` is the header's."""

    line: int
    rows: tuple[dict[str, str], ...]


def tables(source: Source, needed: tuple[str, ...], separator: str = ",") -> Iterator[Table]:
    """Each table whose header has the columns `needed`, up to the first row that does not fit.

    Lines that begin with `#` are comments. A quoted value that spans lines ends the table: no tool
    read here writes one but JMeter, in the message of a failure.
    """
    lines = source.lines
    at = 0
    while at < len(lines):
        header = _row(lines[at], separator) if all(name in lines[at] for name in needed) else None
        at += 1
        if header is None or not set(needed) <= set(header):
            continue
        start, rows = at, []
        while at < len(lines):
            if not lines[at].startswith("#"):
                row = _row(lines[at], separator)
                if row is None or len(row) != len(header):
                    break
                rows.append(dict(zip(header, row, strict=True)))
            at += 1
        yield Table(start, tuple(rows))


def _row(line: str, separator: str) -> list[str] | None:
    try:
        rows = list(csv.reader([line], delimiter=separator))
    except csv.Error:
        return None
    return rows[0] if rows else None
