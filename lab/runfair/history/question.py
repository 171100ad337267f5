"""What is asked of the stored figures, and the answer: rows in the order of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import duckdb

Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """Patterns as a shell knows them (`temurin-*`); "" asks for all. `figures` are names."""

    benchmark: str = ""
    workload: str = ""
    size: str = ""
    mode: str = ""
    variant: str = ""
    machine: str = ""
    figures: tuple[str, ...] = ()


def answer(files: Sequence[Path], question: Question) -> list[Row]:
    """Every figure of every run but smoke runs, which are never fair, oldest first."""
    if not files:
        return []
    conditions = ["figure IS NOT NULL", "profile <> 'smoke'"]
    values: list[object] = [[str(path) for path in files]]
    for field in fields(question):
        asked = getattr(question, field.name)
        if field.name == "figures" and asked:
            conditions.append("list_contains(?, figure)")
            values.append(list(asked))
        elif field.name != "figures" and asked:
            conditions.append(f"{field.name} GLOB ?")
            values.append(asked)
    text = (
        f"SELECT * FROM read_parquet(?) WHERE {' AND '.join(conditions)} "
        "ORDER BY created_realtime_ns, run"
    )
    with duckdb.connect() as connection:
        found = connection.execute(text, values)
        columns = [one[0] for one in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]


def smoke_runs(files: Sequence[Path]) -> list[str]:
    """The runs that no series holds because of their profile."""
    if not files:
        return []
    text = "SELECT DISTINCT run FROM read_parquet(?) WHERE profile = 'smoke' ORDER BY run"
    with duckdb.connect() as connection:
        return [
            run for (run,) in connection.execute(text, [[str(path) for path in files]]).fetchall()
        ]
