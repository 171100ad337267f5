"""A request waits for the answers before it: the server sets the pace of its own examination."""

from __future__ import annotations

from runfair.fairness.audit.judging import BEYOND_ONE, WAITING, Mistake, little, little_said
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.closed_loop import IMPOSSIBLE, SATURATED

MISTAKE = Mistake("closed_loop", "closed loop")


def judge(result: ForeignResult) -> Judgement | None:
    if result.kind != "load":
        return None
    ratio, said = little(result), little_said(result)
    if result.loop in WAITING:
        measured = f"; {said}" if said else ""
        if ratio is not None and ratio > IMPOSSIBLE:
            measured += f", {BEYOND_ONE}"
        return MISTAKE.established(
            f"requests wait for earlier answers{result.because('loop')}{measured}"
        )
    if result.loop == "open":
        if result.dropped:
            return MISTAKE.established(
                f"{result.dropped:,} requests of the schedule were dropped: the schedule gave "
                f"way to the server{result.because('loop')}"
            )
        return MISTAKE.excluded(f"requests follow a schedule{result.because('loop')}")
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return MISTAKE.established(f"{said}: every connection was always waiting for an answer")
    reason = result.basis.get("loop", f"{result.tool} does not report it")
    return MISTAKE.not_told(f"{reason}; {said}" if said else reason)
