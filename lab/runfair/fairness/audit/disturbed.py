"""A debug build, an interpreter alone, a changing frequency: where the context tells it."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

MISTAKE = Mistake("disturbed", "debug build, CPU scaling")


def judge(result: ForeignResult) -> Judgement | None:
    if result.disturbed is None:
        return MISTAKE.not_told(f"{result.tool} does not report it here")
    if result.disturbed:
        return MISTAKE.established("; ".join(result.disturbed))
    return MISTAKE.excluded("the report on build and processor mentions neither")
