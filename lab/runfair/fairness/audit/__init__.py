"""The audit of results that other tools wrote.

Each mistake has a name, a title, thresholds as constants, and a judge. The judge is a function of a
result. The judge says whether the mistake is established, excluded, or cannot be established, and
names the file's values that show this. The judge returns None for a kind of result that cannot
contain the mistake. If a mistake cannot be established, it is never reported as excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.fairness.audit.conditions import (
    DISTURBED,
    UNEQUAL_BUILDS,
    compare,
    disturbed,
    unequal_builds,
)
from runfair.fairness.audit.judging import Mistake
from runfair.fairness.audit.loads import (
    CLOSED_LOOP,
    ERRORS_COUNTED,
    PAUSES_LEFT_OUT,
    PEAK,
    STARVED_RATE,
    closed_loop,
    errors_counted,
    pauses_left_out,
    peak,
    starved_rate,
)
from runfair.fairness.audit.percentiles import (
    COARSE_CLOCK,
    NOT_OF_REQUESTS,
    TOO_FEW,
    coarse_clock,
    not_of_requests,
    too_few,
)
from runfair.fairness.audit.repetition import (
    NO_INTERVAL,
    UNIT_OF_REPETITION,
    WARM_UP,
    no_interval,
    unit_of_repetition,
    warm_up,
)
from runfair.fairness.audit.statement import statement
from runfair.formats.foreign.result import (
    Audit,
    AuditedResult,
    Comparison,
    ForeignResult,
    Judgement,
)

Judge = Callable[[ForeignResult], Judgement | None]

JUDGES: dict[Mistake, Judge] = {
    CLOSED_LOOP: closed_loop,
    PAUSES_LEFT_OUT: pauses_left_out,
    WARM_UP: warm_up,
    PEAK: peak,
    STARVED_RATE: starved_rate,
    ERRORS_COUNTED: errors_counted,
    TOO_FEW: too_few,
    NOT_OF_REQUESTS: not_of_requests,
    UNIT_OF_REPETITION: unit_of_repetition,
    NO_INTERVAL: no_interval,
    COARSE_CLOCK: coarse_clock,
    DISTURBED: disturbed,
    UNEQUAL_BUILDS: unequal_builds,
}
"""All mistakes, in the order in which an audit shows them."""


@dataclass(frozen=True)
class Read:
    """A result and the file it was read from. `command` is the command line that made the result,
    if the user gave it beside the file. The command line supplies facts that the file does not
    contain."""

    file: str
    result: ForeignResult
    command: str | None = None

    @property
    def label(self) -> str:
        name = f" (“{self.result.name}”)" if self.result.name else ""
        return f"{self.file}:{self.result.line}{name}"


def audit(read: Sequence[Read]) -> Audit:
    """The audit: first each result by itself, then comparisons of the results of the same tool."""
    return Audit(
        results=tuple(_audited(each) for each in read),
        comparisons=tuple(_comparisons(read)),
    )


def _audited(read: Read) -> AuditedResult:
    judged = [judge(read.result) for judge in JUDGES.values()]
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
    """The comparisons of results that one tool wrote to separate files or lines. Results of a
    single document, such as all benchmarks of a suite, are not compared with each other."""
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
