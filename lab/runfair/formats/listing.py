"""`list … --json`: an array of what is here and what is missing."""

from __future__ import annotations

from pydantic import TypeAdapter

from runfair.formats.record import Record
from runfair.formats.variant import State


class Entry(Record):
    """`language` is empty for experiments; `detail` is one line; `install` the line to type."""

    name: str
    language: str
    state: State
    detail: str = ""
    install: str = ""


LISTING: TypeAdapter[list[Entry]] = TypeAdapter(list[Entry])
