"""The display of a run's progress. On a terminal it is a bar with the remaining time, otherwise a
line for each block. A table is shown above the display as soon as the table's cells are complete.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from runfair.evidence.reading import GrowingRecords
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Effort, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import service_name
from runfair.loading.generator import Progress as LoadProgress
from runfair.report.assessment import conclusion_of
from runfair.report.conclusion.short_form import WIDTH, table
from runfair.wording import quantity

COLD_GUESS_S = 2.0
LINES_GUESS_S = 10.0
OVERHEAD_S = 0.3
SERVICE_OVERHEAD_S = 3.0


def load_text(progress: LoadProgress) -> str:
    """The rate of a load, its p99 and its failures."""
    seen = "" if progress.p99_ns is None else f" p99 {quantity.duration(progress.p99_ns)}"
    failed = f", {progress.failed} failed" if progress.failed else ""
    return f"{progress.achieved_per_s:,.0f}/s{seen}{failed}"


class RunProgress:
    """Watches the engine. The remaining time is estimated from earlier executions of the same
    cells.
    """

    def __init__(
        self,
        console: Console,
        remaining: Sequence[PlannedExecution],
        cells: Sequence[Cell],
        effort: Effort,
    ) -> None:
        self._console = console
        self._left = list(remaining)
        self._modes = {cell.id: cell.mode for cell in cells}
        self._seconds = {
            cell.id: effort.max_seconds if cell.max_seconds is None else cell.max_seconds
            for cell in cells
        }
        self._effort = effort
        self._took_s: dict[str, list[float]] = {}
        self._began = time.monotonic()
        self._lines_every = max(1, len(self._left) // 10)
        self._done = 0
        self._service = ""
        self._progress: Progress | None = None
        if console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.fields[what]}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]}"),
                console=console,
                # The display is redrawn only once a second, because it must use little processor
                # time while programs are measured.
                refresh_per_second=1,
            )
            self._task = self._progress.add_task(
                "run", total=len(self._left), what="starting", left=self._left_text()
            )

    def __enter__(self) -> RunProgress:
        if self._progress is not None:
            self._progress.start()
        elif self._left:
            self._console.print(f"{len(self._left)} executions, {self._left_text()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    @property
    def width(self) -> int:
        """The number of columns of the terminal."""
        return self._console.width

    def show(self, lines: Sequence[str]) -> None:
        """Prints lines above the bar without removing the bar."""
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)

    def begins(self, cell: Cell) -> None:
        self._began = time.monotonic()
        if self._progress is not None:
            what = f"{cell.benchmark} {cell.workload} {cell.mode} · {escape(cell.variant)}"
            name = service_name(cell.tier, cell.variant)
            self._service = f"{cell.benchmark} {cell.workload} · {escape(name)}"
            self._progress.update(self._task, what=what)

    def load(self, progress: LoadProgress) -> None:
        """Shows the progress of the load on a service."""
        if self._progress is not None:
            self._progress.update(self._task, what=f"{self._service} · {load_text(progress)}")

    def ended(self, execution: Execution, cell: Cell) -> None:
        if execution.role == "block":
            self._took_s.setdefault(cell.id, []).append(time.monotonic() - self._began)
        if self._left:
            self._left.pop(0)
        elif self._progress is not None:  # of a block that is being repeated
            self._progress.update(self._task, total=self._done + 1)
        self._done += 1
        if execution.outcome.state == "failed":
            self._console.print(
                f"failed  {escape(cell.id)}: {escape(execution.outcome.reason)}", soft_wrap=True
            )
        if self._progress is not None:
            self._progress.update(self._task, advance=1, left=self._left_text())
        elif self._done % self._lines_every == 0 and self._left:
            self._console.print(
                f"{self._done} of {self._done + len(self._left)} executions, {self._left_text()}"
            )

    def _left_text(self) -> str:
        seconds = sum(self._expected_s(planned) for planned in self._left)
        return f"about {quantity.rough_time(seconds)} left"

    def _expected_s(self, planned: PlannedExecution) -> float:
        took = self._took_s.get(planned.cell)
        if planned.role == "lines":
            return LINES_GUESS_S
        if took and planned.role != "pilot":
            return sum(took) / len(took)
        if planned.role == "pilot":
            return self._effort.pilot_seconds
        if self._modes[planned.cell] == "cold":
            return COLD_GUESS_S
        if self._modes[planned.cell] == "service":
            return self._effort.load_seconds + SERVICE_OVERHEAD_S
        return self._seconds[planned.cell] + OVERHEAD_S


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
