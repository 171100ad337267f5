"""A cell's row in the table of a question."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from runfair.formats.finding import FigureName, worst
from runfair.formats.result import CellResult

Row = tuple[str, ...]


def row(
    name: str,
    cell: CellResult,
    texts: Sequence[str],
    shown: Collection[FigureName],
    limits: Collection[str],
) -> Row:
    """The name, the `texts` of the figures that are `shown`, and what is to be said of them; in
    place of the figures why there are none."""
    gone = _absent(cell, limits)
    return (name, gone) if gone else (name, *texts, *marks([cell], shown))


def marks(cells: Sequence[CellResult], shown: Collection[FigureName]) -> Row:
    """`flagged`, and executions that failed; a void figure says so itself."""
    found = [one for cell in cells for name in shown if (one := cell.figures.get(name)) is not None]
    standing = [one.verdict for one in found if one.verdict != "void"]
    failed = sum(cell.failed for cell in cells)
    count = failed + sum(cell.executions for cell in cells)
    return (
        *(("flagged",) if worst(standing) == "flagged" else ()),
        *((f"{failed} of {count} failed",) if failed else ()),
    )


def _absent(cell: CellResult, limits: Collection[str]) -> str:
    if cell.absent:
        return cell.absent
    if cell.id in limits:
        return "ended at the limit stated"
    return "" if cell.figures and cell.executions + cell.failed else "not measured"
