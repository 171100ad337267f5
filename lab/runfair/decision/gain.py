"""The measured gain of a candidate over the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from runfair.decision.service_cost import ExecutionCost, ServiceCost, paired
from runfair.statistics.array import FloatArray
from runfair.statistics.comparison import CONFIDENCE, Ratio, holm, paired_ratio


@dataclass(frozen=True)
class Gain:
    """A candidate's gain, as ratios baseline / candidate paired on half-blocks: 1.2 is 1.2 times
    better.

    A ratio is None if it cannot be computed, for one of these reasons: there is no half-block in
    which both services succeeded; a percentile is infinite or has only bounds; a service did not
    serve the rate; the CPU time is void. If there are doubts about the CPU time, the limits of
    `own_cpu` contain every gain within the CPU time's bounds; a limit is None if that side is open.
    The limits of `percentile` likewise: a limit is None if a doubt of unknown size may have moved
    it. `mean_latency` is the smallest possible gain. If there are doubts, `mean_latency` is the
    baseline's lower bound divided by the candidate's upper bound, and None if one of these is open.
    `p` is the p value of the percentile's ratio, corrected by Holm's method over all candidates.
    `pairs` counts the half-blocks in which both services succeeded.
    """

    percentile: Ratio | None
    mean_latency: Ratio | None
    own_cpu: Ratio | None
    p: float | None
    pairs: int

    def is_within_noise(self, noise_floor: float) -> bool:
        """Whether noise or chance may explain the change of the percentile."""
        return self.percentile is not None and (
            self.percentile.within_noise_floor(noise_floor)
            or (self.p is not None and self.p > 1 - CONFIDENCE)
        )

    def is_shown(self, noise_floor: float) -> bool:
        """Whether the percentile certainly improved."""
        return (
            self.percentile is not None
            and self.percentile.low is not None
            and self.p is not None
            and self.percentile.value > 1
            and not self.is_within_noise(noise_floor)
        )

    def is_below(self, smallest: float) -> bool:
        """Whether the gains in the percentile and in CPU time are both certainly smaller than a
        given gain."""
        return all(
            ratio is not None and ratio.high is not None and ratio.high < smallest
            for ratio in (self.percentile, self.own_cpu)
        )


def gains(baseline: ServiceCost, candidates: Sequence[ServiceCost]) -> list[Gain]:
    """The gain of each candidate, in the given order."""
    found = [_gain(baseline, candidate) for candidate in candidates]
    adjusted = holm([one.percentile.p if one.percentile else None for one in found])
    return [replace(one, p=p) for one, p in zip(found, adjusted, strict=True)]


def _gain(baseline: ServiceCost, candidate: ServiceCost) -> Gain:
    pairs = len(paired(baseline, candidate, lambda one: one.mean_latency_ns)[0])
    if baseline.unserved or candidate.unserved:
        return Gain(None, None, None, p=None, pairs=pairs)
    both = (baseline, candidate)
    latency = all(one.bounds_ns is None and one.state != "void" for one in both)
    cpu = not any(one.cpu_void for one in both)
    return Gain(
        _percentile_gain(*both) if latency else None,
        _least_gain(*both) if all(one.state != "void" for one in both) else None,
        _cpu_gain(*both) if cpu else None,
        p=None,
        pairs=pairs,
    )


def _percentile_gain(baseline: ServiceCost, candidate: ServiceCost) -> Ratio | None:
    """The gain in the percentile. It has no lower limit if the baseline's percentile may be lower
    by an unknown amount, or the candidate's higher; and no upper limit in the opposite cases."""
    gain = _ratio(baseline, candidate, "percentile_ns")
    if gain is None:
        return None
    (base_below, base_above), (below, above) = baseline.open_sides, candidate.open_sides
    return replace(
        gain,
        low=None if base_below or above else gain.low,
        high=None if base_above or below else gain.high,
    )


def _cpu_gain(baseline: ServiceCost, candidate: ServiceCost) -> Ratio | None:
    """The gain in CPU time. Its limits are those of its confidence intervals with all doubts
    resolved against the candidate, and with all doubts resolved for the candidate."""
    gain = _ratio(baseline, candidate, "own_cpu_ns")
    executions = (*baseline.executions, *candidate.executions)
    if gain is None or all(one.cpu_limits_ns is None for one in executions):
        return gain
    least = _known(
        paired(baseline, candidate, lambda one: one.least_cpu_ns)[0],
        paired(baseline, candidate, lambda one: one.most_cpu_ns)[1],
    )
    most = _known(
        paired(baseline, candidate, lambda one: one.most_cpu_ns)[0],
        paired(baseline, candidate, lambda one: one.least_cpu_ns)[1],
    )
    return replace(
        gain,
        low=None if least is None else least.low,
        high=None if most is None else most.high,
    )


def _least_gain(baseline: ServiceCost, candidate: ServiceCost) -> Ratio | None:
    """The gain in mean latency, with all doubts resolved against the candidate."""
    theirs, _ = paired(baseline, candidate, lambda one: one.least_mean_ns)
    _, ours = paired(baseline, candidate, lambda one: one.most_mean_ns)
    return _known(theirs, ours)


def _known(theirs: FloatArray, ours: FloatArray) -> Ratio | None:
    """The ratio of paired limits. The result is None if there is no pair, or if a limit is open."""
    if theirs.size == 0 or min(*theirs, *ours) <= 0 or max(*theirs, *ours) == np.inf:
        return None
    return paired_ratio(theirs, ours)


def _ratio(baseline: ServiceCost, candidate: ServiceCost, figure: str) -> Ratio | None:
    def value(execution: ExecutionCost) -> float:
        return float(getattr(execution, figure))

    theirs, ours = paired(baseline, candidate, value)
    if theirs.size == 0 or not (np.isfinite(theirs).all() and np.isfinite(ours).all()):
        return None
    return paired_ratio(theirs, ours)
