"""The audit of other tools' results."""

from __future__ import annotations

from typing import Literal

from runfair.formats.foreign.result import ForeignResult
from runfair.formats.record import Record

Status = Literal["established", "excluded", "cannot be established"]


class Judgement(Record):
    """The judgement about a mistake: the mistake's name, its status, and a sentence with the values
    that led to the status."""

    mistake: str
    title: str
    status: Status
    evidence: str


class AuditedResult(Record):
    """An audited result: the judgement about each possible mistake, and the conclusions that the
    result allows and forbids.

    `command` is the command line that supplied facts missing from the result.
    """

    file: str
    command: str | None
    result: ForeignResult
    judgements: tuple[Judgement, ...]
    can_be_said: tuple[str, ...]
    cannot_be_said: tuple[str, ...]


class Comparison(Record):
    """A comparison of the results of one tool: it says whether they were made under the same
    conditions."""

    tool: str
    results: tuple[str, ...]
    judgements: tuple[Judgement, ...]


class Audit(Record):
    """The output of `./runfair audit --json`."""

    schema_version: Literal[1] = 1
    results: tuple[AuditedResult, ...]
    comparisons: tuple[Comparison, ...]
