"""A table of values, for programs to read: what CSV and Parquet hold alike."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

import duckdb

from runfair.wording.text import plain

Type = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
Value = str | int | float | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Dataset:
    """Columns by name, with DuckDB's type of each, and rows, made again whenever they are needed:
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


def write_parquet(dataset: Dataset, path: Path) -> None:
    """Written by DuckDB, whole or not at all. OSError if it cannot be.

    The rows go by way of a temporary CSV, which DuckDB reads as a stream: rows put in one by one
    take a thousand times longer, and a table of them in memory would hold all iterations of a run.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        source, made = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
        with source.open("w", encoding="utf-8", newline="") as file:
            dataset.write_csv(file)
        with duckdb.connect() as connection:
            rows = connection.read_csv(
                str(source),
                header=True,
                columns=dict(dataset.columns),
                auto_detect=False,
                delimiter=",",
                quotechar='"',
                escapechar='"',
            )
            rows.write_parquet(str(made), compression="zstd")
        made.replace(path)
