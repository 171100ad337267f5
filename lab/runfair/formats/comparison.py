"""`compare … --json`: the change of each figure between two runs or two variants."""

from __future__ import annotations

from typing import Literal

from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.record import Record
from runfair.formats.result import Bounds, Interval

Outcome = Literal["regression", "improvement", "within", "unclear", "void", "not measured"]


class ComparedFigure(Record):
    """The comparison of a figure. `value` is the second side's figure divided by the first side's,
    with its 95% interval. `p` is the p-value of the test against a ratio of 1, adjusted by Holm's
    method over all compared figures. If the comparison is void, `value`, the interval and `p` are
    None. `limit` is the allowed change. The outcome is a regression or an improvement if the change
    is established to exceed the limit, `within` if the whole interval lies inside the limit,
    `unclear` if the interval crosses the limit. If either side is bounded, `bounds` replace the
    interval, and `p` and `outcome` are computed for the ratio that is worst under the doubts.
    `reason` says why a comparison is void or not measured."""

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
    """The comparison of two runs, or of two variants of a run. `differences` has a line for each
    other difference between the sides. `only_first` and `only_second` are the cells that only one
    side has."""

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
