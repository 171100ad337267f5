"""What a server can do at most is taken for what it does at an objective."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake, little, little_said
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.closed_loop import IMPOSSIBLE, SATURATED

MISTAKE = Mistake("peak", "peak, not objective")

REACHED = 0.99
"""Achieved over offered; below it the figure is of a limit (docs/statistics.md, “Fairness”)."""


def judge(result: ForeignResult) -> Judgement | None:
    if result.kind != "load":
        return None
    if result.rate_per_s is None:
        return MISTAKE.not_told("no throughput is given")
    if result.offered_rate_per_s:
        asked = (
            f"{result.offered_rate_per_s:,.0f}/s were offered and {result.rate_per_s:,.0f}/s "
            f"reached"
        )
        if result.rate_per_s / result.offered_rate_per_s >= REACHED:
            return MISTAKE.excluded(asked)
        return MISTAKE.established(f"{asked}: a limit of the server, or of the generator")
    return _without_a_rate(result, f"{result.rate_per_s:,.0f}/s")


def _without_a_rate(result: ForeignResult, rate: str) -> Judgement:
    if result.loop == "closed":
        return MISTAKE.established(f"{rate} is a saturation figure: no rate was offered")
    ratio = little(result)
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return MISTAKE.established(f"{rate} is a saturation figure: {little_said(result)}")
    said = f"; {little_said(result)}" if ratio is not None else ""
    return MISTAKE.not_told(f"{rate}, and no offered rate is reported{said}")
