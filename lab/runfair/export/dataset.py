"""A table of values for programs to read, written as CSV or Parquet."""

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
    """A table: its columns, each with its type in DuckDB, and its rows.

    The rows are produced anew whenever they are read, because there may be too many iterations to
    keep in memory. None is a missing value.
    """

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
    # CSV allows a line feed in a field, but few readers of CSV accept it.
    return plain(value) if isinstance(value, str) else repr(value)


def write_parquet(dataset: Dataset, path: Path) -> None:
    """Writes the Parquet file through DuckDB, completely or not at all. Raises OSError if that
    fails.

    The rows go through a temporary CSV file, which DuckDB reads as a stream. Inserting rows one by
    one takes a thousand times longer, and a table in memory would hold all iterations of a run.
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
