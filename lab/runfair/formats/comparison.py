"""`compare … --json`: the change of each figure between two runs or two variants."""

from __future__ import annotations

from typing import Literal

from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.record import Record
from runfair.formats.result import Bounds, Interval

Outcome = Literal["regression", "improvement", "within", "unclear", "void", "not measured"]


class ComparedFigure(Record):
    """The comparison of a figure. `value` is second / first with its 95% interval; `p` is against a
    ratio of 1, adjusted by Holm over all compared figures; all are None if the comparison is void.
    `limit` is the allowed change: a regression or an improvement is established beyond it, `within`
    means that the whole interval lies inside it, `unclear` that the interval crosses it. If either
    side is bounded, `bounds` replace the interval, and `p` and `outcome` belong to the ratio that
    the doubts favour least. `reason` says why a comparison is void."""

    cell: str
    figure: FigureName
    value: float | None
    interval: Interval | None
    bounds: Bounds | None = None
    p: float | None
    limit: float
    outcome: Outcome
    verdict: VerdictState
    reason: str = ""


class Comparison(Record):
    """The comparison of two runs, or of two variants of a run. `differences` are other differences
    between the sides, a line each; `only_first` and `only_second` are cells that the other side
    lacks."""

    schema_version: Literal[1] = 1
    of: Literal["runs", "variants"]
    first: str
    second: str
    one_machine: bool
    threshold: float
    differences: list[str] = []
    figures: list[ComparedFigure]
    only_first: list[str] = []
    only_second: list[str] = []
