"""A figure stands without an interval, and nothing it could be computed from."""

from __future__ import annotations

import math

import numpy as np

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.log_interval import logs, of_sample

MISTAKE = Mistake("no_interval", "no interval")

CONFIDENCE = 0.95


def judge(result: ForeignResult) -> Judgement | None:
    if result.interval == "stated":
        return MISTAKE.excluded(f"{result.tool} states one beside its figure")
    means = [float(np.mean(row)) for row in result.series_ns if row]
    limits = _interval(means) if result.interval == "computable" else None
    if limits is not None:
        low, high = limits
        return MISTAKE.excluded(
            f"none is stated, but the values of {len(means)} executions are there: "
            f"±{100 * (math.sqrt(high / low) - 1):.1f}% at 95%"
        )
    if result.interval == "computable":
        executions = result.executions
        if executions is not None and executions > 1:
            return MISTAKE.not_told(f"of {executions} executions no spread can be read")
        return MISTAKE.established("none is stated, and all values are of one execution")
    return MISTAKE.established("no figure has one")


def _interval(means_ns: list[float]) -> tuple[float, float] | None:
    """The limits of the executions' geometric mean, by t on their logarithms; None where fewer than
    two differ."""
    if len(means_ns) < 2 or min(means_ns) <= 0:
        return None
    return of_sample(logs(means_ns)).interval(CONFIDENCE)
