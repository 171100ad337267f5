"""Between what an execution's mean latency lies, where a doubt about its percentiles has a
direction.

docs/statistics.md, "Bounds", has the derivations.
"""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.load import LoadEvidence
from runfair.fairness.bounds import WARM_UP, reaches
from runfair.fairness.checks import calibration, errors, few_requests, generator_delay
from runfair.formats.finding import Finding
from runfair.formats.result import Bounds


def mean_limits(load: LoadEvidence, findings: Sequence[Finding]) -> Bounds:
    """The least and the most that the mean latency of good and failed requests together can be
    with these findings about a percentile, in nanoseconds; None on a side that nothing bounds."""
    low = high = load.mean_ns
    for doubt in findings:
        if doubt.effect is None or not reaches(doubt) or doubt.check == few_requests.NAME:
            continue  # a mean needs no requests beyond the sample
        least, most = _of(doubt, load)
        if doubt.effect in ("longer", "either"):
            low = None if low is None or least is None else min(low, least)
        if doubt.effect in ("shorter", "either"):
            high = None if high is None or most is None else max(high, most)
    return low, high


def _of(doubt: Finding, load: LoadEvidence) -> Bounds:
    """What one doubt leaves of the mean. A size is a share of the percentile, which tells of the
    mean only if all latencies were changed alike: as the machine's speed does."""
    mean_ns = load.mean_ns
    if mean_ns is None:
        return None, None
    if doubt.check == generator_delay.NAME:
        return None if load.least is None else load.least.mean, mean_ns
    if doubt.check == errors.NAME:
        return mean_ns * (1 - load.steady_failed_share), None
    if doubt.check == calibration.NAME and doubt.size is not None:
        return mean_ns * (1 - doubt.size), mean_ns / (1 - doubt.size)
    if doubt.check == WARM_UP and load.levels:
        means = [one.mean for one in load.levels if one.mean is not None]
        return min(means), max(means)
    return None, None
