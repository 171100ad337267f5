"""A table of values, for programs to read: what CSV and Parquet hold alike."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TextIO

from runfair.wording.text import plain

Type = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
Value = str | int | float | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Dataset:
    """Columns by name, with DuckDB's type of each, and rows, made anew whenever they are asked for:
    iterations may be too many to keep. None is a value that is not there."""

    name: str
    columns: dict[str, Type]
    rows: Callable[[], Iterable[Row]]

    def write_csv(self, file: TextIO) -> None:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_text(value) for value in row] for row in self.rows())

    def csv(self) -> str:
        text = io.StringIO()
        self.write_csv(text)
        return text.getvalue()

    def records(self) -> Iterator[dict[str, Value]]:
        for row in self.rows():
            yield dict(zip(self.columns, row, strict=True))


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    # A line feed in a field is allowed in CSV, and read by few.
    return plain(value) if isinstance(value, str) else repr(value)
