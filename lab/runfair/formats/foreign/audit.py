"""What an audit says of results that other tools wrote."""

from __future__ import annotations

from typing import Literal

from runfair.formats.foreign.result import ForeignResult
from runfair.formats.record import Record

Status = Literal["established", "excluded", "cannot be established"]


class Judgement(Record):
    """The status of one mistake: its name, and one sentence with the values behind the status."""

    mistake: str
    title: str
    status: Status
    evidence: str


class AuditedResult(Record):
    """A result, each mistake it could hold, and what can and cannot be said from it.

    `command` is the command line it was completed from.
    """

    file: str
    command: str | None
    result: ForeignResult
    judgements: tuple[Judgement, ...]
    can_be_said: tuple[str, ...]
    cannot_be_said: tuple[str, ...]


class Comparison(Record):
    """Whether results of one tool were made alike."""

    tool: str
    results: tuple[str, ...]
    judgements: tuple[Judgement, ...]


class Audit(Record):
    """`./runfair audit --json`."""

    schema_version: Literal[1] = 1
    results: tuple[AuditedResult, ...]
    comparisons: tuple[Comparison, ...]
