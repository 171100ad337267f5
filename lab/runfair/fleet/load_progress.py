"""The progress of a load on the hosts of a team. The worker prints it on the generator's host, and
the lab reads it from the worker's output."""

from __future__ import annotations

import time

from pydantic import ValidationError

from runfair.formats.execution import Execution
from runfair.formats.plan import Cell
from runfair.formats.record import Record
from runfair.loading.generator import Progress

INTERVAL_S = 1.0


class LoadProgress(Record):
    """The progress of all load generators of the service that is under load now."""

    service: str
    load: Progress

    @classmethod
    def of_line(cls, line: str) -> LoadProgress | None:
        """The progress in a line of a worker's output; None if the line has another content."""
        try:
            return cls.model_validate_json(line)
        except ValidationError:
            return None


class ProgressPrinter:
    """A watcher that prints the progress of loads once per interval. The lab shows the progress of
    the run itself from the records."""

    def __init__(self) -> None:
        self._service = ""
        self._next_s = 0.0

    def begins(self, cell: Cell) -> None:
        self._service = cell.variant

    def ended(self, execution: Execution, cell: Cell) -> None: ...

    def load(self, progress: Progress) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + INTERVAL_S
            shown = LoadProgress(service=self._service, load=progress)
            print(shown.model_dump_json(), flush=True)
