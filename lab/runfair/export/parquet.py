"""Parquet, through DuckDB: the same table as in CSV, with types.

The rows go by way of a temporary CSV, which DuckDB reads as a stream: rows put in one by one take
a thousand times longer, and a table of them in memory would hold all iterations of a run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from runfair.export.dataset import Dataset


def write_parquet(dataset: Dataset, path: Path) -> None:
    """Written whole or not at all. OSError where it cannot be."""
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
