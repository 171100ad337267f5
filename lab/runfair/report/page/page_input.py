"""All that a page is made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from runfair.evidence.reading import OwnValues
from runfair.evidence.run import RunEvidence
from runfair.formats.decision import Answer
from runfair.formats.event import Event
from runfair.formats.histogram import Interval
from runfair.formats.result import RunResult


@dataclass(frozen=True, eq=False)
class PageInput:
    """`events`, `intervals` and `own_values` are asked for by an execution's id, and read only for
    what is drawn; `events` gives None if the runtime told nothing. `answers` are `decide`'s,
    none if nothing can be decided."""

    evidence: RunEvidence
    result: RunResult
    events: Callable[[str], Sequence[Event] | None] = field(default=lambda _: None)
    intervals: Callable[[str], Sequence[Interval]] = field(default=lambda _: ())
    own_values: Callable[[str], Sequence[OwnValues]] = field(default=lambda _: ())
    answers: Sequence[Answer] = ()
