"""The audit of results that other tools wrote: one mistake a file.

A mistake is a module with a name and a title, its thresholds as constants, and `judge`, which says
for a result whether the mistake is established, excluded, or cannot be established, and on which of
the file's values that rests; None where that kind of result cannot hold it. What cannot be
established never passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from runfair.fairness.audit import (
    closed_loop,
    disturbed,
    errors_counted,
    no_interval,
    not_of_requests,
    pauses_left_out,
    peak,
    resolution,
    starved_rate,
    too_few,
    unequal_builds,
    unit_of_repetition,
    warm_up,
)
from runfair.fairness.audit.judging import Mistake
from runfair.fairness.audit.sameness import compare
from runfair.fairness.audit.statement import statement
from runfair.formats.foreign.audit import Audit, AuditedResult, Comparison, Judgement
from runfair.formats.foreign.result import ForeignResult


class Judge(Protocol):
    """What each module offers."""

    @property
    def MISTAKE(self) -> Mistake: ...  # noqa: N802 - a module's constant

    def judge(self, result: ForeignResult) -> Judgement | None: ...


JUDGES: tuple[Judge, ...] = (
    closed_loop,
    pauses_left_out,
    warm_up,
    peak,
    starved_rate,
    errors_counted,
    too_few,
    not_of_requests,
    unit_of_repetition,
    no_interval,
    resolution,
    disturbed,
    unequal_builds,
)


@dataclass(frozen=True)
class Read:
    """A result as it was read: from which file, and completed from which command line."""

    file: str
    result: ForeignResult
    command: str | None = None

    @property
    def label(self) -> str:
        name = f" {self.result.name}" if self.result.name else ""
        return f"{self.file}:{self.result.line}{name}"


def audit(read: Sequence[Read]) -> Audit:
    """Each result by itself, then those of one tool against one another."""
    return Audit(
        results=tuple(_audited(each) for each in read),
        comparisons=tuple(_comparisons(read)),
    )


def _audited(read: Read) -> AuditedResult:
    judged = [each.judge(read.result) for each in JUDGES]
    judgements = tuple(each for each in judged if each is not None)
    can, cannot = statement(read.result, judgements)
    return AuditedResult(
        file=read.file,
        command=read.command,
        result=read.result,
        judgements=judgements,
        can_be_said=can,
        cannot_be_said=cannot,
    )


def _comparisons(read: Sequence[Read]) -> list[Comparison]:
    """Results of one tool that stand in files, or lines, of their own: those of one document, such
    as all the benchmarks of a suite, were not written to be compared."""
    made = []
    for tool in dict.fromkeys(each.result.tool for each in read):
        own = [each for each in read if each.result.tool == tool]
        if len({(each.file, each.result.line) for each in own}) < 2:
            continue
        made.append(
            Comparison(
                tool=tool,
                results=tuple(each.label for each in own),
                judgements=compare([each.result for each in own]),
            )
        )
    return made
