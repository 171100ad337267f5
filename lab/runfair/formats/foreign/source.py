"""The input of an importer: a text with the JSON documents, tables and printed blocks found in
it."""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from runfair.formats.foreign.document import Document, documents

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MOST_LINES = 400
_MOST_LINES_OF_A_VALUE = 1000
"""A printed result may have at most this number of lines. The longest known results are those of
wrk2, whose percentile spectrum has about 150 lines."""


@dataclass(frozen=True)
class Block:
    """A printed result: the match of its first line, and its text up to the next result."""

    line: int
    start: re.Match[str]
    text: str

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.search(self.text)

    def group(self, pattern: re.Pattern[str], group: int = 1) -> str:
        """A group of the first match of a pattern; "" without a match."""
        found = pattern.search(self.text)
        return (found[group] or "") if found else ""


@dataclass(frozen=True)
class Source:
    """The text of a result. Its line ends are `\n`, and terminal colours are removed."""

    text: str

    @classmethod
    def of(cls, text: str) -> Source:
        return cls(_COLOURS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        return tuple(documents(self.text))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(self.text.split("\n"))

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def line_of(self, offset: int) -> int:
        """The number of the line that contains an offset, counted from 1."""
        return bisect_left(self._line_ends, offset) + 1

    def blocks(self, start: re.Pattern[str], most_lines: int = _MOST_LINES) -> Iterator[Block]:
        """The printed results. Each begins at a match of `start` and ends before the next match."""
        found = list(start.finditer(self.text))
        ends = [*(each.start() for each in found[1:]), len(self.text)]
        for match, end in zip(found, ends, strict=False):
            text = self.text[match.start() : end]
            cut = "\n".join(text.split("\n", most_lines)[:most_lines])
            yield Block(self.line_of(match.start()), match, cut)


@dataclass(frozen=True)
class Table:
    """A table: the rows below a header, by column; `line` is the header's line."""

    line: int
    rows: tuple[dict[str, str], ...]


def tables(source: Source, needed: tuple[str, ...], separator: str = ",") -> Iterator[Table]:
    """Each table whose header has the columns `needed`, up to the first row that does not fit.

    Lines that begin with `#` are comments. A quoted value may span lines. Of the supported tools
    only JMeter writes such values, in failure messages.
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
                text = lines[at]
                last = min(len(lines) - 1, at + _MOST_LINES_OF_A_VALUE)
                while text.count('"') % 2 and at < last:
                    at += 1
                    text += "\n" + lines[at]
                row = _row(text, separator)
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
