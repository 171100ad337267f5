"""What a service's execution asks of the relay before its database, and keeps of its events."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from runfair.events.reading import Reading
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import DatabaseUse
from runfair.serving.service_execution import ServiceExecution

MS = 1_000_000


class Named:
    """A site or a place of this name, as an execution looks at it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.place = self


class Placed:
    def __init__(self, *sites: str) -> None:
        self.sites = [Named(one) for one in sites]
        self.database_place = Named("database")


class Measured:
    def __init__(self, **round_trips_ns: int) -> None:
        self.round_trips_ns = round_trips_ns

    def round_trip_ns(self, sender: str, receiver: str) -> int:
        assert receiver == "database"
        return self.round_trips_ns[sender]


@pytest.mark.parametrize(("second_ns", "added_ns"), [(2, 7), (5, 5), (20, 0)])
def test_the_relay_adds_what_the_farthest_host_lacks(second_ns: int, added_ns: int) -> None:
    asked = cast(Any, object.__new__(ServiceExecution))
    asked.placement = Placed("one", "two")
    use = DatabaseUse(round_trip_ns=10 * MS)
    asked.network = Measured(one=3 * MS, two=second_ns * MS)
    assert asked._lacking(use).round_trip_ns == added_ns * MS
    asked.network = None
    assert asked._lacking(use) == use


def test_what_could_not_be_read_of_the_events_is_kept(tmp_path: Path) -> None:
    kept = cast(Any, object.__new__(ServiceExecution))
    kept.folder, kept.identity = RunFolder(tmp_path), "x"
    kept.folder.events_file("x").parent.mkdir(parents=True)
    kept._keep_events(Reading(processes=1, unread=2))
    assert (kept.events, kept.unread) == (0, 2)
