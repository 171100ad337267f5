"""`compare … --json`: figure by figure, what a later run or another variant has become."""

from __future__ import annotations

from typing import Literal

from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.record import Record
from runfair.formats.result import Bounds, Interval

Outcome = Literal["regression", "improvement", "within", "unclear", "void", "not measured"]


class ComparedFigure(Record):
    """`value` is second / first with its 95% interval, `p` against a ratio of 1, adjusted by Holm
    over all figures compared; all None if the comparison is void. `limit` is the change that is
    allowed: a regression or an improvement is established beyond it; `within` says that the whole
    interval lies inside, `unclear` that it may yet lie outside. Where either side is bounded,
    `bounds` stand in the interval's place, and `p` and `outcome` are of the ratio less all of the
    doubt. `reason` says why a comparison is void."""

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
    """Two runs, or two variants of one run. `differences` are a line each, of what differs beside
    what is compared; `only_first` and `only_second` the cells that the other has not."""

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
