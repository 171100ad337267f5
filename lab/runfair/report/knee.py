"""Where latency against rate bends, and what to say of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from runfair.fairness.evidence import ExecutionEvidence
from runfair.fairness.figures import execution_value
from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.result import CurvePoint, Knee
from runfair.formats.service import OperatingPoint
from runfair.report.verdict_words import worst
from runfair.statistics.curve import Point, curve


def knee_of(
    point: OperatingPoint,
    points: Sequence[CurvePoint],
    executions: Sequence[ExecutionEvidence],
    own: VerdictState,
) -> Knee | None:
    """Over the rates of a curve and the operating point, whose verdict is `own`; by the percentile
    of the objective, p99 without one. Void points are no part of it. None without further rates."""
    if not points:
        return None
    asked: FigureName = "p99" if point.objective is None else point.objective.percentile
    shown = [
        Point(one.rate_per_s, _achieved(one.rate_per_s, executions), latency_ns)
        for one in points
        if (latency_ns := one.objective_ns or one.p99_ns)
    ]
    values = [value for one in executions if (value := execution_value(one, asked)) is not None]
    ratios = [
        ratio
        for one in executions
        if one.load is not None and (ratio := one.load.result.rate.ratio) is not None
    ]
    if own != "void" and values and ratios:
        rate = point.rate_per_s
        shown.append(Point(rate, rate * median(ratios), median(values)))
    found = curve(shown)
    return Knee(
        rate_per_s=found.knee_per_s,
        saturated_from_per_s=found.saturated_from_per_s,
        rates=len(shown),
        reason=found.reason,
        verdict=worst([one.verdict for one in points if one.verdict != "void"] + [own]),
    )


def knee_words(knee: Knee) -> str:
    """`its knee is at 600/s (of 5 rates); from 1,200/s on it is saturated`."""
    if knee.rate_per_s is None:
        said = f"no knee is shown: {knee.reason}"
    else:
        said = f"its knee is at {knee.rate_per_s:,g}/s (of {knee.rates} rates)"
    if knee.saturated_from_per_s is not None:
        said += f"; from {knee.saturated_from_per_s:,g}/s on it is saturated"
    return said


def _achieved(rate_per_s: float, executions: Sequence[ExecutionEvidence]) -> float:
    told = [
        one.achieved_share
        for each in executions
        for one in each.probes
        if one.rate_per_s == rate_per_s
    ]
    return rate_per_s * median(told)
