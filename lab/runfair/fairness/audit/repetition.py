"""Mistakes of repetition: a wrong unit of repetition, a missing interval, a warm-up that was
counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.result import ForeignResult, Judgement
from runfair.statistics.log_interval import logs, of_sample
from runfair.statistics.steady_state import SteadyState, detect

UNIT_OF_REPETITION = Mistake("unit_of_repetition", "wrong unit of repetition")

FEWEST_EXECUTIONS = 5
"""The limit is from docs/statistics.md, “Fairness”. A nominal 95% interval of pooled iterations
covered the true value 12% to 13% of the time (“Comparing two runtimes”)."""


def unit_of_repetition(result: ForeignResult) -> Judgement | None:
    """Unit of repetition: iterations or requests are counted as if they were executions, so the
    result does not show how much processes differ."""
    executions = result.executions
    if result.pooled:
        return UNIT_OF_REPETITION.established(
            "the spread is computed from the iterations of all executions together, so it "
            "does not show how much one execution differs from "
            f"another{result.because('pooled')}"
        )
    if executions is None:
        return UNIT_OF_REPETITION.not_told(
            "the file does not report the number of processes, so all values may come from "
            "one process"
        )
    if result.kind == "load":
        handed = "one load of one server"
    else:
        handed = result.basis.get("executions", f"{executions} executions")
    if executions >= FEWEST_EXECUTIONS:
        return UNIT_OF_REPETITION.excluded(
            f"the measured values come from {handed}, and {FEWEST_EXECUTIONS} executions "
            "(processes) are enough to show how much executions differ"
        )
    return UNIT_OF_REPETITION.established(
        f"the measured values come from {handed}, but at least {FEWEST_EXECUTIONS} executions "
        "(processes) are needed to show how much executions differ"
    )


NO_INTERVAL = Mistake("no_interval", "no confidence interval")

CONFIDENCE = 0.95


def no_interval(result: ForeignResult) -> Judgement | None:
    """No interval: a figure has no confidence interval, and the file does not contain the values to
    compute an interval."""
    if result.interval == "stated":
        return NO_INTERVAL.excluded(
            f"{result.tool} states a confidence interval for its measured value"
        )
    means = [float(np.mean(row)) for row in result.series_ns if row]
    limits = _interval(means) if result.interval == "computable" else None
    if limits is not None:
        low, high = limits
        return NO_INTERVAL.excluded(
            f"the file states no confidence interval, but the values of {len(means)} executions "
            f"give a 95% confidence interval of ±{100 * (math.sqrt(high / low) - 1):.1f}%"
        )
    if result.interval == "computable":
        executions = result.executions
        if executions is not None and executions > 1:
            reason = (
                f"the {executions} executions have exactly the same value"
                if means
                else "the file does not contain the values of the individual executions"
            )
            return NO_INTERVAL.not_told(f"no confidence interval can be computed, because {reason}")
        return NO_INTERVAL.established(
            "the file states no confidence interval, and all values come from one execution, which "
            "is not enough to compute an interval"
        )
    return NO_INTERVAL.established("none of the measured values has a confidence interval")


def _interval(means_ns: list[float]) -> tuple[float, float] | None:
    """The confidence interval of the executions' geometric mean, by Student's t on the logarithms
    of the values. None if fewer than two values differ."""
    if len(means_ns) < 2 or min(means_ns) <= 0:
        return None
    return of_sample(logs(means_ns)).interval(CONFIDENCE)


WARM_UP = Mistake("warm_up", "warm-up included")

TOLERANCE = 0.05
"""The tolerance of the steady-state detector. The noise floor of the foreign machine is unknown. On
real runs the detector's answers change with noise if the tolerance is 1%, and are stable at 3 to 5%
(docs/statistics.md, “Steady state”)."""


FINEST_STEP_NS = 1e-3
"""The step of the clock that is assumed if the file states no step or an absurd step."""


def warm_up(result: ForeignResult) -> Judgement | None:
    """Warm-up: values from the time before the steady state are counted."""
    rows = _rows(result)
    seen = [_detected(row, result.latencies.step_ns) for row in rows]
    late = [(place, each) for place, each in enumerate(seen, 1) if each.start]
    never = [
        place for place, each in enumerate(seen, 1) if each.classification == "no steady state"
    ]
    known = bool(seen) and all(each.classification != "too short" for each in seen)
    values = sum(len(row) for row in rows)
    if never:
        return WARM_UP.established(
            f"execution {never[0]} of {len(seen)} did not become steady within its "
            f"{len(rows[never[0] - 1]):,} values"
        )
    if late:
        place, state = late[0]
        length = len(rows[place - 1])
        return WARM_UP.established(
            f"execution {place} of {len(seen)} became steady only at value {state.start} of "
            f"{length:,}, but the result also includes the values before the steady state"
        )
    if known:
        return WARM_UP.excluded(f"all {values:,} values of the result belong to the steady state")
    return _by_what_is_told(result, values)


def _by_what_is_told(result: ForeignResult, values: int) -> Judgement:
    """The judgement of the warm-up if the file has too few single values for the steady-state
    detector."""
    left_out = result.because("warmup")
    if result.warmup_left_out:
        return WARM_UP.not_told(
            f"the result excludes a warmup{left_out}, but it is unknown whether this warmup was "
            "long enough"
        )
    if result.warmup_left_out is None:
        return WARM_UP.not_told(
            result.basis.get("warmup")
            or (f"{result.tool} does not report whether it excludes a warmup")
        )
    if result.kind == "load":
        return WARM_UP.established(
            f"the result includes the first requests{left_out}, and it is unknown whether the "
            "server was already warm"
        )
    return WARM_UP.not_told(
        f"the result excludes no warmup{left_out}, and {values} values are too few to detect "
        "the steady state"
    )


def _rows(result: ForeignResult) -> Sequence[tuple[float, ...]]:
    """The values of each execution, a row for each. If each execution has a single value, all
    values form one row, in order."""
    rows = [row for row in result.series_ns if row]
    if len(rows) > 1 and all(len(row) == 1 for row in rows):
        return [tuple(row[0] for row in rows)]
    return rows


def _detected(row: tuple[float, ...], step_ns: float | None) -> SteadyState:
    step = max(step_ns or 0.0, FINEST_STEP_NS)
    # In whole milliseconds, fast answers are rounded to zero, which has no logarithm.
    values = np.maximum(np.asarray(row, dtype=np.float64), step / 2)
    return detect(values, tolerance=TOLERANCE, resolution_ns=step)
