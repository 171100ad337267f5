"""The runtime events of one execution. The events are requested through the program's environment
and collected after its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from runfair.events.instrumentation import collect, family_of_command, instrumentation
from runfair.events.reading import Reading, merged
from runfair.events.stamped_stream import StampedStream
from runfair.formats.plan import Cell
from runfair.formats.variant import Variant

FOLDER = "events"


class EventCapture:
    """Captures the events of one execution. As a context manager, it also stores the program's
    standard error.

    Start the program with `environment`, and let the launcher open `stderr` as the program's
    standard error. There is nothing to capture for an external service, or if the runtime reports
    no events.
    """

    def __init__(
        self,
        cell: Cell,
        variant: Variant,
        raw: Path,
        environment: Mapping[str, str],
        *,
        far: bool = False,
    ) -> None:
        """`far`: the program runs on another host. The lab cannot say when a line was printed
        there, so runtimes whose events need that time report none."""
        family: str | None = variant.implementation
        if cell.hosting.kind == "command":
            family = family_of_command(cell.artefact.command, environment)
        self._family = family
        self._folder = raw / FOLDER
        self._kept = raw / "stderr"
        self._stack = ExitStack()
        self._stream: StampedStream | None = None
        asked = None
        started = cell.kind in ("peak", "service") and cell.hosting.kind != "url"
        if family is not None and started:
            command = cell.artefact.command
            asked = instrumentation(family, self._folder, environment, command)
        if far and asked is not None and asked.stderr is not None:
            asked = None
        if asked is not None and cell.user is not None:
            cell.user.own(self._folder)
        self._reports = asked is not None
        self._fifo = None if asked is None else asked.stderr
        self.environment = {**environment, **(asked.environment if asked is not None else {})}

    @property
    def stderr(self) -> Path:
        return self._fifo or self._kept

    def __enter__(self) -> EventCapture:
        if self._fifo is not None:
            stamps = self._kept.with_name(f"{self._kept.name}.stamps")
            stream = StampedStream.of_fifo(self._fifo, self._kept, stamps=stamps)
            self._stream = self._stack.enter_context(stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def reading(self) -> Reading | None:
        """The events of the program, to be read after its end; None if its runtime reports no
        events."""
        self._stack.close()
        if not self._reports or self._family is None:
            return None
        return collect(self._family, self._folder, self._stream)


def reading_of_all(captures: Sequence[EventCapture]) -> Reading | None:
    """The events of all instances of a service. If there are several instances, each event has the
    number of its instance. None if the runtime reports no events.
    """
    readings = [reading for one in captures if (reading := one.reading()) is not None]
    if len(captures) > 1:
        readings = [_of_instance(each, number) for number, each in enumerate(readings, 1)]
    return merged(readings) if readings else None


def _of_instance(reading: Reading, number: int) -> Reading:
    events = tuple(event.model_copy(update={"instance": number}) for event in reading.events)
    return replace(reading, events=events)
