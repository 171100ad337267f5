"""The events that were read from a runtime's own reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runfair.formats.event import LONGEST_TEXT, Event


@dataclass(frozen=True)
class Reading:
    """The events that were read, in the order of their starts.

    `processes` counts the processes that reported. If no process reported, the absence of events
    proves nothing. `unread` counts lines or records that look like the runtime's own but could not
    be read. If there are any, events may be missing.
    """

    events: tuple[Event, ...] = ()
    processes: int = 0
    unread: int = 0


def merged(readings: Iterable[Reading]) -> Reading:
    """The readings of several processes, or of several files of one process, combined."""
    together = list(readings)
    return Reading(
        tuple(
            sorted(
                (event for reading in together for event in reading.events),
                key=lambda event: (event.started_ns, -event.duration_ns),
            )
        ),
        sum(reading.processes for reading in together),
        sum(reading.unread for reading in together),
    )


def event_text(text: str) -> str:
    """A runtime's own text, shortened to one line for an event's `text`."""
    return " ".join(text.split())[:LONGEST_TEXT]
