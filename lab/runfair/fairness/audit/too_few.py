"""A percentile is printed of which too few values tell anything."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.statistics.percentile import label, least_count

MISTAKE = Mistake("too_few", "too few for the percentile")

ANYONES = ("percentile spectrum", "interval log")
"""Forms that any program can write, and that hold all percentiles at once."""

USUAL = (0.5, 0.9, 0.99, 0.999, 0.9999)


EXTREME = 1e-9
"""So near to 0 or 1 stand the least and the greatest value, however a spectrum numbers them."""


def given(latencies: Latencies) -> list[float]:
    """The shares that are percentiles: neither the least nor the greatest value. Rising."""
    shares = {each.share for each in latencies.percentiles}
    return sorted(share for share in shares if EXTREME < share < 1 - EXTREME)


def highest_supported(latencies: Latencies) -> float | None:
    """The highest share given whose two-sided 95% interval the values bound."""
    counted = latencies.counted or 0
    enough = [share for share in given(latencies) if least_count(share) <= counted]
    return max(enough, default=None)


def _enough_for(latencies: Latencies) -> str:
    counted = latencies.counted or 0
    enough = [share for share in USUAL if least_count(share) <= counted]
    most = f"enough for {label(enough[-1])}" if enough else "too few for any percentile"
    return f"the percentile of interest is unknown; {counted:,} values are {most}"


def judge(result: ForeignResult) -> Judgement | None:
    shares = given(result.latencies)
    if not shares and result.tool in ANYONES:
        return MISTAKE.not_told(_enough_for(result.latencies))
    if not shares:
        return MISTAKE.excluded("no percentile is given") if result.kind == "load" else None
    highest, counted = shares[-1], result.latencies.counted
    if counted is None:
        return MISTAKE.not_told(f"{label(highest)} is given without the number of values")
    needed = f"{label(highest)} needs {least_count(highest):,} values for a 95% interval"
    if counted >= least_count(highest):
        return MISTAKE.excluded(f"{needed}, {counted:,} were counted")
    last = highest_supported(result.latencies)
    enough = f"; they are enough for {label(last)}" if last is not None else ""
    return MISTAKE.established(f"{needed}, only {counted:,} were counted{enough}")
