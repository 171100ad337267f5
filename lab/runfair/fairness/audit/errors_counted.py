"""Errors are counted as answers: they are often the fastest of all."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

MISTAKE = Mistake("errors_counted", "errors counted as answers")


def judge(result: ForeignResult) -> Judgement | None:
    if result.kind == "benchmark" and result.errors is None:
        return None
    if result.errors is None:
        return MISTAKE.not_told("the status of the answers is not reported")
    counted = result.requests or result.latencies.counted
    of = f" of {counted:,} ({100 * result.errors / counted:.3g}%)" if counted else ""
    if result.errors == 0:
        among = f" among {counted:,}" if counted else ""
        return MISTAKE.excluded(f"no error{among}; whether the answers were correct is unknown")
    if result.errors_timed:
        return MISTAKE.established(f"{result.errors:,}{of} failed, and are counted and timed alike")
    return MISTAKE.not_told(f"{result.errors:,}{of} failed; whether they were timed is unknown")
