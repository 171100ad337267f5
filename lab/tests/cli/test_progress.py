"""Tables while a run goes on: each when its cells are complete, and none for what follows them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from evidence.honest_run import honest_run
from evidence.records import Records
from report.page.test_stored_run import stored
from runfair.cli.progress import EarlyTables, RunProgress
from runfair.formats.plan import Cell


class Watched:
    """A stored run told to the display as if it took place now."""

    def __init__(self, folder: Path, run: Records, *, terminal: bool) -> None:
        self.text = io.StringIO()
        self.run = run
        console = Console(file=self.text, force_terminal=terminal, width=80)
        left = run.plan.executions
        self.progress = RunProgress(console, left, run.plan.cells, run.plan.effort)
        self.tables = EarlyTables(self.progress, stored(folder, run), run.plan, left)
        self.cells = {cell.id: cell for cell in run.plan.cells}

    def shown(self, count: int) -> list[int]:
        """How many lines had been printed before each of the first executions."""
        before = []
        with self.progress:
            for execution in self.run.executions[:count]:
                self.tables.begins(self.cells[execution.cell])
                before.append(self.text.getvalue().count("\n"))
                self.tables.ended(execution, self.cells[execution.cell])
        return before


def groups(run: Records) -> dict[tuple[object, ...], Cell]:
    return {cell.group: cell for cell in run.plan.cells}


@pytest.mark.parametrize("terminal", [True, False])
def test_each_table_is_shown_once_but_the_last_which_the_conclusion_follows(
    terminal: bool, tmp_path: Path
) -> None:
    run = honest_run()
    watched = Watched(tmp_path, run, terminal=terminal)
    watched.shown(len(run.executions))
    said = watched.text.getvalue()
    assert len(groups(run)) == 3
    assert said.count("CPU time, gcc-12.2.0+o3 = 1") == 2
    assert said.count("lower is better") == 2


def test_a_table_is_shown_before_the_execution_that_follows_its_last(tmp_path: Path) -> None:
    run = honest_run()
    last: dict[tuple[object, ...], int] = {}
    cells = {cell.id: cell for cell in run.plan.cells}
    for place, one in enumerate(run.executions):
        last[cells[one.cell].group] = place
    first = min(last.values())
    before = Watched(tmp_path / "before", run, terminal=False)
    before.shown(first + 1)
    assert "= 1" not in before.text.getvalue()
    after = Watched(tmp_path / "after", run, terminal=False)
    after.shown(first + 2)
    said = after.text.getvalue()
    assert said.count("= 1") == 1
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_block_that_is_repeated_shows_the_last_table_too(tmp_path: Path) -> None:
    run = honest_run()
    watched = Watched(tmp_path, run, terminal=False)
    watched.shown(len(run.executions))
    watched.tables.begins(run.plan.cells[0])
    assert watched.text.getvalue().count("CPU time, gcc-12.2.0+o3 = 1") == 3
