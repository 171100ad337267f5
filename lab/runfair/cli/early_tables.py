"""The tables of a run in progress: each short table is shown as soon as its cells are complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from runfair.cli.progress import RunProgress
from runfair.evidence.growing_records import GrowingRecords
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.report.assessment import conclusion_of
from runfair.report.conclusion.short_form import WIDTH, table


class EarlyTables:
    """Watches the engine on behalf of the progress display. When the last planned execution of a
    comparison group has ended, it shows the group's table above the display.

    Nothing is computed while a program runs, so the table appears just before the next execution
    begins. After the last execution, the conclusion is shown instead.
    """

    def __init__(
        self,
        progress: RunProgress,
        folder: RunFolder,
        plan: Plan,
        remaining: Sequence[PlannedExecution],
    ) -> None:
        self._progress = progress
        self._records = GrowingRecords(folder)
        self._plan = plan
        groups = {cell.id: cell.group for cell in plan.cells}
        self._left = Counter(groups[one.cell] for one in remaining if one.role == "block")
        self._complete: list[Cell] = []

    def begins(self, cell: Cell) -> None:
        for first in self._complete:
            self._progress.show(self._table(first))
        self._complete.clear()
        self._progress.begins(cell)

    def ended(self, execution: Execution, cell: Cell) -> None:
        self._progress.ended(execution, cell)
        if execution.role == "block" and self._left[cell.group]:
            self._left[cell.group] -= 1
            if not self._left[cell.group]:
                self._complete.append(cell)

    def _table(self, first: Cell) -> list[str]:
        conclusion = conclusion_of(self._records, self._plan.of_group(first))
        width = min(WIDTH, self._progress.width)
        return [line for one in conclusion.questions for line in ("", *table(one, width))]
