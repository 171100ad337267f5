"""A run on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from runfair.formats.finding import Finding, VerdictState
from runfair.formats.result import RunResult
from runfair.report.plain_text import plain
from runfair.report.table import LEGEND, SEVERITY_WORDS, Table, tables

UNBOUNDED = 10_000

# Colour repeats what the verdict column says in words; it is never the only sign.
STYLES: dict[VerdictState | None, str] = {
    "fair": "",
    "flagged": "yellow",
    "void": "red",
    None: "dim",
}


def print_result(result: RunResult, console: Console) -> None:
    for line in findings(result.findings):
        console.print(Text(line))
    for table in tables(result):
        print_table(table, console)
    console.print(Text(LEGEND, style="dim"))


def print_table(table: Table, console: Console) -> None:
    """The table, or, where the terminal is too narrow for all its figures, one after another."""
    grid = _grid(table)
    unbounded = console.options.update(max_width=UNBOUNDED)
    if table.narrow and Measurement.get(console, unbounded, grid).maximum > console.width:
        for narrow in table.narrow:
            print_table(narrow, console)
        return
    console.print(grid)
    for note in table.notes:
        console.print(Text(f"  {note}", style="dim"))
    console.print()


def _grid(table: Table) -> Grid:
    grid = Grid(title=Text(table.title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(table.columns):
        words = place in (0, len(table.columns) - 1)
        grid.add_column(
            Text(column),
            justify="left" if words else "right",
            no_wrap=place < len(table.columns) - 1,
        )
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row.cells), style=STYLES[row.state])
    return grid


def findings(found: Sequence[Finding]) -> list[str]:
    """What concerns the whole run, a line each, said once."""
    lines = []
    for finding in found:
        advice = f" — {finding.advice}" if finding.advice else ""
        lines.append(f"{SEVERITY_WORDS[finding.severity]:<11} {finding.text}{advice}")
    return list(dict.fromkeys(map(plain, lines)))
