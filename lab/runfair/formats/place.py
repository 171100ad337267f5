"""Where a process runs, as which user, and how the clock there differs from the lab's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from runfair.formats.record import FileName, Record

LOCAL = "local"
LOOPBACK = "127.0.0.1"


class Clock(Record):
    """CLOCK_MONOTONIC of a place against the lab's, in nanoseconds: it is ahead by `offset_ns`,
    which is known to within ± `uncertainty_ns`."""

    offset_ns: int = 0
    uncertainty_ns: Annotated[int, Field(ge=0)] = 0

    def to_lab(self, instant_ns: int) -> int:
        """The instant on the lab's clock."""
        return instant_ns - self.offset_ns


class Location(Record):
    """Where a recorded process ran: the name of its place, and the clock as it stood then. Records
    from before there were places read as the lab's own."""

    name: FileName = LOCAL
    clock: Clock = Clock()

    def uncertainty_to(self, other: Location) -> int:
        """How far the distance of two instants, one read here and one there, may be wrong, in
        nanoseconds: nothing within one place."""
        if self.name == other.name:
            return 0
        return self.clock.uncertainty_ns + other.clock.uncertainty_ns


HERE = Location()


class DeclaredPlace(Record):
    """A host, or a part of one, in which processes are started: `[places.NAME]` of an experiment.

    - `host`: its name, empty for the lab's own;
    - `launcher`: the words before a command that is started there (`nsenter`, `ssh`, `srun`);
    - `address`: where processes of other places reach those that listen there;
    - `processors`: those that programs may use there, empty for all that the lab may use;
    - `root`: the folder below which its `proc` and `sys` are;
    - `clock`: how its clock stands against the lab's.
    """

    host: str = ""
    launcher: list[str] = []
    address: str = LOOPBACK
    processors: list[Annotated[int, Field(ge=0)]] = []
    root: str = "/"
    clock: Clock = Clock()


# The greatest number stands for "no change" in setresuid(2).
Number = Annotated[int, Field(ge=0, lt=2**32 - 1)]


class User(Record):
    """A user and a group by their numbers; programs get no other group."""

    uid: Number
    gid: Number

    def own(self, *paths: Path) -> None:
        """Makes files and folders the user's, so that its program can write there."""
        for path in paths:
            os.chown(path, self.uid, self.gid)
