"""The prediction of what more copies of a bytecode cost, compared with what they cost."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.paired_rounds import typical
from checking.signed_ranks import Middle
from runfair.formats.probe import ProbedProcess
from runfair.probing.cost_table import cost_tables

MEDIAN_GOAL, WORST_GOAL = 0.10, 0.25


@dataclass(frozen=True)
class LoopCosts:
    """One round: the CPU time that an iteration of the longer loop needs in addition, as predicted
    from the probed shorter loop, and as measured without the probe. In nanoseconds."""

    predicted_ns: float
    actual_ns: float


def predicted_ns(added: Mapping[str, int], processes: Sequence[ProbedProcess]) -> float:
    """The CPU time of the added bytecodes by their in-flow costs in the probed processes. A
    bytecode without samples is free."""
    (table,) = cost_tables(processes)
    each_ns = {one.name: one.ns_each.value for one in table.bytecodes if one.ns_each is not None}
    return sum(number * each_ns.get(bytecode, 0.0) for bytecode, number in added.items())


@dataclass(frozen=True)
class Prediction:
    """The prediction for a bytecode. `partners` are the other bytecodes that a copy adds, with
    their numbers. Times are for one copy. `error` is the predicted time minus the actual time, as a
    share of the actual time."""

    bytecode: str
    partners: Mapping[str, float]
    predicted_ns: Middle
    actual_ns: Middle
    error: Middle

    @property
    def distance(self) -> Middle:
        """The error without its sign."""
        low, high = sorted((abs(self.error.low), abs(self.error.high)))
        around_zero = self.error.low < 0 < self.error.high
        return Middle(abs(self.error.value), 0.0 if around_zero else low, high)


def prediction(
    bytecode: str, added: Mapping[str, int], measured: Sequence[LoopCosts]
) -> Prediction | None:
    """The prediction over all rounds. None if there are too few rounds for intervals, or if the
    copies have no measurable cost."""
    copies = added[bytecode]
    predicted = typical([one.predicted_ns / copies for one in measured])
    actual = typical([one.actual_ns / copies for one in measured])
    if predicted is None or actual is None or actual.value <= 0:
        return None
    # Differences of the same round: a round on a slow machine is slow in both.
    error = typical(
        [(one.predicted_ns - one.actual_ns) / copies / actual.value for one in measured]
    )
    assert error is not None
    partners = {name: number / copies for name, number in added.items() if name != bytecode}
    return Prediction(bytecode, partners, predicted, actual, error)


def median_distance(found: Sequence[Prediction]) -> Middle:
    """The median error of several bytecodes. Its limits are the medians of the limits."""
    return Middle(
        statistics.median(one.distance.value for one in found),
        statistics.median(one.distance.low for one in found),
        statistics.median(one.distance.high for one in found),
    )


def worst_distance(found: Sequence[Prediction]) -> Middle:
    """The largest error of several bytecodes. Its limits are the largest limits."""
    return Middle(
        max(one.distance.value for one in found),
        max(one.distance.low for one in found),
        max(one.distance.high for one in found),
    )
