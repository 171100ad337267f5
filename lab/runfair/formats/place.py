"""The place of a process: where it runs, as which user, and the clock's offset from the lab's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from runfair.formats.record import FileName, Record

LOCAL = "local"
LOOPBACK = "127.0.0.1"


class Clock(Record):
    """The CLOCK_MONOTONIC of a place, in nanoseconds: it is ahead of the lab's by `offset_ns`, ±
    `uncertainty_ns`."""

    offset_ns: int = 0
    uncertainty_ns: Annotated[int, Field(ge=0)] = 0

    def to_lab(self, instant_ns: int) -> int:
        """The instant on the lab's clock."""
        return instant_ns - self.offset_ns


class Location(Record):
    """The location of a recorded process: the name of its place, and the clock at that time. Old
    records without places count as the lab's own."""

    name: FileName = LOCAL
    clock: Clock = Clock()

    def uncertainty_to(self, other: Location) -> int:
        """The uncertainty of the difference between an instant read here and one read there, in
        nanoseconds; 0 within one place."""
        if self.name == other.name:
            return 0
        return self.clock.uncertainty_ns + other.clock.uncertainty_ns


HERE = Location()


class DeclaredPlace(Record):
    """A host, or a part of one, in which processes are started: `[places.NAME]` of an experiment.

    - `host`: its name, empty for the lab's own; - `launcher`: the command words that start a
    command there (`nsenter`, `ssh`, `srun`); - `address`: the address at which other places reach
    servers there; - `processors`: the processors that programs may use there, empty for all that
    the lab may use; - `root`: the folder that contains its `proc` and `sys`; - `clock`: its clock's
    offset from the lab's.
    """

    host: str = ""
    launcher: list[str] = []
    address: str = LOOPBACK
    processors: list[Annotated[int, Field(ge=0)]] = []
    root: str = "/"
    clock: Clock = Clock()


# The greatest number means "no change" in setresuid(2).
Number = Annotated[int, Field(ge=0, lt=2**32 - 1)]


class User(Record):
    """A user and a group, by number; programs get no other group."""

    uid: Number
    gid: Number

    def own(self, *paths: Path) -> None:
        """Give files and folders to the user, so that its program can write there."""
        for path in paths:
            os.chown(path, self.uid, self.gid)
