"""Stalls are left out of the tail: what was not sent during one is not counted as late
(coordinated omission)."""

from __future__ import annotations

from runfair.fairness.audit.judging import (
    WAITING,
    Mistake,
    little,
    little_said,
    stall,
    stall_said,
)
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.closed_loop import IMPOSSIBLE, SATURATED, StallTest

MISTAKE = Mistake("pauses_left_out", "pauses left out")


def judge(result: ForeignResult) -> Judgement | None:
    if result.kind != "load":
        return None
    test = stall(result)
    if result.timed_from is None:
        reason = result.basis.get(
            "timed_from", f"{result.tool} does not report from where it counts"
        )
        return MISTAKE.not_told(_with_test(reason, test))
    if result.timed_from == "schedule":
        counted = f"latency is counted from the intended instant{result.because('timed_from')}"
        if test is not None and test.outcome == "failed":
            return MISTAKE.not_told(f"{counted}, yet {stall_said(test)}")
        return MISTAKE.excluded(_with_test(counted, test))
    return _from_sending(result, test)


def _from_sending(result: ForeignResult, test: StallTest | None) -> Judgement:
    """It is left out unless the requests go by a schedule that gives way to nothing."""
    counted = f"latency is counted from the actual send{result.because('timed_from')}"
    if result.loop in WAITING or result.dropped:
        return MISTAKE.established(
            _with_test(
                f"{counted}: requests that a stall delays are left out (coordinated omission)", test
            )
        )
    if result.loop == "open":
        if test is not None and test.outcome == "failed":
            return MISTAKE.not_told(f"{counted}, by a schedule; but {stall_said(test)}")
        waits = f"{counted}, and the schedule never waits{result.because('loop')}"
        return MISTAKE.excluded(_with_test(waits, test))
    ratio = little(result)
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return MISTAKE.established(f"{counted}, and {little_said(result)}: requests wait")
    return MISTAKE.not_told(
        _with_test(f"{counted}; whether a request waits for answers is unknown", test)
    )


def _with_test(said: str, test: StallTest | None) -> str:
    if test is None or test.outcome == "undecided":
        return said
    return f"{said}; the stall test {test.outcome}: {stall_said(test)}"
