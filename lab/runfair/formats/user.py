"""Whom a program runs as."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from runfair.formats.record import Record

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
