"""Percentiles are not of requests, but of summaries (means of iterations, percentiles of parts), or
of values that were invented afterwards."""

from __future__ import annotations

from runfair.fairness.audit.judging import BEYOND_ONE, Mistake, little, little_said
from runfair.fairness.audit.too_few import ANYONES, given
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.closed_loop import IMPOSSIBLE
from runfair.statistics.percentile import label

MISTAKE = Mistake("not_of_requests", "percentiles not of requests")


def judge(result: ForeignResult) -> Judgement | None:
    shares, counted = given(result.latencies), result.latencies.counted
    if not shares and result.tool not in ANYONES:
        return MISTAKE.excluded("no percentile is given") if result.kind == "load" else None
    if result.latencies.of == "iterations":
        return MISTAKE.established(
            f"{label(shares[0])} to {label(shares[-1])} are of {counted or 'some'} iterations, "
            f"each the mean of many calls"
        )
    if result.tool in ANYONES and result.version is None:
        # Published harnesses recorded each row of a printed spectrum once into a new histogram.
        return MISTAKE.not_told("the file does not say what its values are")
    if "added" in result.basis:
        said = little_said(result)
        return MISTAKE.not_told(f"{result.basis['added']}{f'; {said}' if said else ''}")
    ratio = little(result)
    if result.timed_from == "sending" and ratio is not None and ratio > IMPOSSIBLE:
        return MISTAKE.not_told(f"{little_said(result)}, {BEYOND_ONE}")
    return MISTAKE.excluded(f"{result.tool} takes percentiles of single requests")
