"""The output of a run on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from runfair.formats.finding import Finding, VerdictState
from runfair.formats.result import MachineLevelResult, RunResult
from runfair.report.conclusion.conclusion import Conclusion
from runfair.report.conclusion.short_form import HEIGHT, WIDTH, short_form
from runfair.report.table import LEGEND, tables
from runfair.wording import quantity
from runfair.wording.table import Table
from runfair.wording.text import plain, shortened

UNBOUNDED = 10_000
LABEL = 12  # the width of the labels before the tables, such as `reference`
VERDICT_WIDTH = 20  # the room for a verdict and the numbers of its notes

# Colour repeats the words of the verdict column. It is never the only sign of a verdict.
STYLES: dict[VerdictState | None, str] = {
    "fair": "",
    "flagged": "yellow",
    "void": "red",
    None: "dim",
}


def print_result(result: RunResult, console: Console) -> None:
    result = shortened(result)
    if not result.complete:
        console.print(
            "incomplete  some executions of the run are missing; to complete the run, use "
            "./runfair resume"
        )
    if result.machine_level is not None:
        console.print(Text(f"reference   {level_line(result.machine_level)}"))
    for line in findings(result.findings):
        console.print(Text(line))
    for table in tables(result):
        print_table(table, console)
    console.print(Text(LEGEND, style="dim"))


def print_facts(facts: Sequence[tuple[str, str]], console: Console) -> None:
    """Print what was measured when, where and by which version of runfair, in a line for each."""
    for name, text in facts:
        console.print(Text(f"{name.lower():<{LABEL}}{text}"))


def print_conclusion(conclusion: Conclusion, look: str, console: Console) -> None:
    """Print the conclusion at the end of a run, in no more lines than the terminal shows at once.
    If a question has no answer, the last line is reserved for the message that says so."""
    height = HEIGHT - bool(conclusion.open)
    for line in short_form(conclusion, look, width=min(WIDTH, console.width), height=height):
        console.print(Text(line), soft_wrap=True)


def print_table(table: Table, console: Console) -> None:
    """Print a table, or its parts one after another if the terminal is too narrow."""
    grid = _grid(table)
    unbounded = console.options.update(max_width=UNBOUNDED)
    # Only the last column is wrapped.
    wanted = Measurement.get(console, unbounded, _grid(table, verdict_width=VERDICT_WIDTH)).maximum
    if table.narrow and wanted > console.width:
        for narrow in table.narrow:
            print_table(narrow, console)
        return
    console.print(grid)
    for note in table.notes:
        console.print(Text(f"  {note}", style="dim"))
    console.print()


def _grid(table: Table, verdict_width: int | None = None) -> Grid:
    grid = Grid(title=Text(table.title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(table.columns):
        words = place in (0, len(table.columns) - 1)
        grid.add_column(
            Text(column),
            justify="left" if words else "right",
            no_wrap=place < len(table.columns) - 1,
            max_width=verdict_width if place == len(table.columns) - 1 else None,
        )
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row.cells), style=STYLES[row.state])
    return grid


def findings(found: Sequence[Finding]) -> list[str]:
    """The findings about the whole run, with a line for each."""
    lines = []
    for finding in found:
        advice = f" — {finding.advice}" if finding.advice else ""
        said = plain(f"{finding.text}{advice}")
        lines.append(f"{finding.severity:<11} {said}")
    return list(dict.fromkeys(lines))


def level_line(found: MachineLevelResult) -> str:
    """The machine's level in a line, which follows the word "reference": `loop of constant work,
    1.3% of the run's time · computing: 60 readings, 95% of them lie between 0.990 and 1.040 times
    their median, …`"""
    share: list[str] = []
    if found.share is not None:
        share = [
            (
                f"a loop of constant work, which took {quantity.percent(found.share)} of the run's "
                "time"
            )
        ]
    parts = [
        f"{kind}: {one.readings} readings, 95% of them lie between {one.low:.3f} and "
        f"{one.high:.3f} times their median, drift {one.drift:+.1%}"
        for kind, one in found.levels.items()
    ]
    return " · ".join((*share, *parts))
