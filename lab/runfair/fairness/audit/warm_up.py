"""Values from before the steady state are among those that count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult
from runfair.statistics.steady_state import SteadyState, detect

MISTAKE = Mistake("warm_up", "warm-up included")

TOLERANCE = 0.05
"""A foreign machine's noise floor is not known; on real runs 1% flips with noise, 3 to 5% is stable
(docs/statistics.md, “Steady state”)."""


FINEST_STEP_NS = 1e-3
"""Where no step is told, or an absurd one."""


def judge(result: ForeignResult) -> Judgement | None:
    seen = [_detected(row, result.latencies.step_ns) for row in _rows(result)]
    late = [(place, each) for place, each in enumerate(seen, 1) if each.start]
    never = [
        place for place, each in enumerate(seen, 1) if each.classification == "no steady state"
    ]
    known = bool(seen) and all(each.classification != "too short" for each in seen)
    values = sum(len(row) for row in _rows(result))
    if never:
        return MISTAKE.established(
            f"execution {never[0]} of {len(seen)} is never steady, by its {values:,} values"
        )
    if late:
        place, state = late[0]
        length = len(_rows(result)[place - 1])
        return MISTAKE.established(
            f"execution {place} of {len(seen)} is steady from value {state.start} of {length:,} on,"
            f" and those before it count"
        )
    if known:
        return MISTAKE.excluded(
            f"the {values:,} values that count are steady from the first one on"
        )
    return _by_what_is_told(result, values)


def _by_what_is_told(result: ForeignResult, values: int) -> Judgement:
    """Where there are no values to look at, or too few."""
    left_out = result.because("warmup")
    if result.warmup_left_out:
        return MISTAKE.not_told(f"a warmup is left out{left_out}; whether enough is unknown")
    if result.warmup_left_out is None:
        return MISTAKE.not_told(result.basis.get("warmup") or f"{result.tool} does not report it")
    if result.kind == "load":
        return MISTAKE.established(
            f"the first request counts as much as the last{left_out}; whether the server was warm "
            f"before is unknown"
        )
    return MISTAKE.not_told(f"no warmup is left out{left_out}, and {values} values show no start")


def _rows(result: ForeignResult) -> Sequence[tuple[float, ...]]:
    """The values of each execution; where each has but one, all of them in their order."""
    rows = [row for row in result.series_ns if row]
    if len(rows) > 1 and all(len(row) == 1 for row in rows):
        return [tuple(row[0] for row in rows)]
    return rows


def _detected(row: tuple[float, ...], step_ns: float | None) -> SteadyState:
    step = max(step_ns or 0.0, FINEST_STEP_NS)
    # Whole milliseconds round fast answers to nothing, which has no logarithm.
    values = np.maximum(np.asarray(row, dtype=np.float64), step / 2)
    return detect(values, tolerance=TOLERANCE, resolution_ns=step)
