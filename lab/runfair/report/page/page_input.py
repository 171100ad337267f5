"""The input of a page."""

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
    """The input of a page: a run's evidence and result, and functions that read further data.

    The functions `events`, `intervals` and `own_values` take an execution's id, so only the data
    that are drawn are read. `events` returns None if no runtime events are available. `answers` are
    the answers of `./runfair decide`; empty if no decision is possible.
    """

    evidence: RunEvidence
    result: RunResult
    events: Callable[[str], Sequence[Event] | None] = field(default=lambda _: None)
    intervals: Callable[[str], Sequence[Interval]] = field(default=lambda _: ())
    own_values: Callable[[str], Sequence[OwnValues]] = field(default=lambda _: ())
    answers: Sequence[Answer] = ()
