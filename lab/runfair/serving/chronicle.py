"""What a service's runtime did meanwhile: asked for by its environment, collected at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from runfair.events.command import family_of_command
from runfair.events.instrumentation import collect, instrumentation
from runfair.events.reading import Reading, merged
from runfair.events.stamped_lines import StampedLines
from runfair.formats.plan import Cell
from runfair.formats.variant import Variant

FOLDER = "events"


class Chronicle:
    """The events of one execution; as a context manager it keeps the program's standard error.

    `environment` is what the program is to be started with, and `stderr` what the launcher opens
    as its standard error. A service that runs already, or a runtime that tells nothing, has none.
    """

    def __init__(
        self, cell: Cell, variant: Variant, raw: Path, environment: Mapping[str, str]
    ) -> None:
        family: str | None = variant.family
        if cell.service is not None and cell.service.kind == "command":
            family = family_of_command(cell.artefact.command, environment)
        self._family = family
        self._folder = raw / FOLDER
        self._kept = raw / "stderr"
        self._stack = ExitStack()
        self._stamped: StampedLines | None = None
        asked = None
        if family is not None and cell.service is not None and cell.service.kind != "url":
            asked = instrumentation(family, self._folder, environment)
        self._tells = asked is not None
        self._fifo = None if asked is None else asked.stderr
        self.environment = {**environment, **(asked.environment if asked is not None else {})}

    @property
    def stderr(self) -> Path:
        return self._fifo or self._kept

    def __enter__(self) -> Chronicle:
        if self._fifo is not None:
            self._stamped = self._stack.enter_context(StampedLines.of_fifo(self._fifo, self._kept))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        if self._fifo is not None:
            self._fifo.unlink(missing_ok=True)

    def reading(self) -> Reading | None:
        """What the runtime told, once the program has ended; None where it tells nothing."""
        self._stack.close()
        if not self._tells or self._family is None:
            return None
        return collect(self._family, self._folder, self._stamped)


def reading_of_all(chronicles: Sequence[Chronicle]) -> Reading | None:
    """Of all instances of a service, each event with the number of its own where there are several;
    None where their runtime tells nothing."""
    readings = [reading for one in chronicles if (reading := one.reading()) is not None]
    if len(chronicles) > 1:
        readings = [_of_instance(each, number) for number, each in enumerate(readings, 1)]
    return merged(readings) if readings else None


def _of_instance(reading: Reading, number: int) -> Reading:
    events = tuple(event.model_copy(update={"instance": number}) for event in reading.events)
    return replace(reading, events=events)
