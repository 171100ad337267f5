"""A rate was asked for that was not kept: fewer requests went than the schedule has."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.fairness.audit.peak import REACHED
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

MISTAKE = Mistake("starved_rate", "starved arrival rate")


def judge(result: ForeignResult) -> Judgement | None:
    if result.kind != "load":
        return None
    offered, rate = result.offered_rate_per_s, result.rate_per_s
    if result.dropped:
        total = result.dropped + (result.requests or 0)
        return MISTAKE.established(
            f"{result.dropped:,} of {total:,} requests of the schedule were dropped"
        )
    if offered and rate is not None:
        asked = f"{rate:,.1f} of {offered:,.1f}/s, {100 * rate / offered:.1f}%"
        if rate / offered >= REACHED:
            return MISTAKE.excluded(f"{asked} of the offered rate")
        return MISTAKE.established(f"only {asked} of the offered rate")
    if result.loop == "closed":
        return MISTAKE.excluded("no rate was offered that could be missed")
    return MISTAKE.not_told("the offered rate is not reported")
