"""What was read of a runtime's own account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runfair.formats.event import LONGEST_TEXT, Event


@dataclass(frozen=True)
class Reading:
    """Events in the order of their starts.

    `processes` counts those that gave an account: with none, that there are no events says
    nothing. `unread` counts lines or records that look like the runtime's own and could not be
    read: with any, events may be missing.
    """

    events: tuple[Event, ...] = ()
    processes: int = 0
    unread: int = 0


def merged(readings: Iterable[Reading]) -> Reading:
    """The readings of several processes, or of several files of one process, together."""
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
    """A runtime's words as an event's `text`: one line, not too long."""
    return " ".join(text.split())[:LONGEST_TEXT]
