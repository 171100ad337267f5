"""Sizes of a benchmark: named amounts of work."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runfair.formats.record import Record, Scalar


class DriveSizeText(Record):
    """The requests of one pass of the load generator, over `connections` unless an experiment
    states another number.

    A key-value server gets `requests` requests for `keys` keys with values of `value_bytes` bytes.
    A file server gets every request of the traffic file once in each of `rounds` rounds.
    """

    connections: Annotated[int, Field(ge=1)] = 1
    requests: Annotated[int, Field(ge=1)] = 1
    keys: Annotated[int, Field(ge=1)] = 1
    value_bytes: Annotated[int, Field(ge=0)] = 64
    rounds: Annotated[int, Field(ge=1)] = 1


class WorkText(Record):
    """The amount of work: parameters for the program, arguments for the input's generator, and the
    requests for a server.
    """

    params: dict[str, Scalar] = {}
    input: dict[str, int] = {}
    drive: DriveSizeText | None = None


class SizeText(WorkText):
    """A size of a benchmark. If a form needs another amount of work for the same input, `forms`
    states it in place of the size's own amount.
    """

    forms: dict[str, WorkText] = {}
