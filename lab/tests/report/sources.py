"""Source files with figures whose truth is known."""

from __future__ import annotations

from evidence.records import Records
from runfair.formats.source_lines import SourceLines

LENGTH = 200
TEXT = "".join(f"    line_{number}()\n" for number in range(1, LENGTH + 1))
COUNTS = {20: 1.0, 21: 1000.0, 100: 600.0, 101: 499.0}


def told(
    values: dict[int, float] | None = None,
    *,
    path: str = "sudoku.py",
    name: str = "executions",
    unit: str = "",
    text: str = TEXT,
) -> SourceLines:
    return SourceLines(
        path=path, name=name, unit=unit, values=COUNTS if values is None else values, text=text
    )


def told_by(run: Records, *cells: str) -> Records:
    for cell in cells:
        run = run.telling(cell, told())
    return run
