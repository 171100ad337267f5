"""The bounds of the mean latency of an execution, under the findings about a percentile."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from runfair.evidence.load import LoadEvidence
from runfair.fairness.bounds import WARM_UP
from runfair.fairness.checks import calibration, errors, few_requests, generator_delay
from runfair.formats.finding import Finding
from runfair.formats.result import Bounds


def mean_limits(load: LoadEvidence, findings: Sequence[Finding]) -> Bounds:
    """The bounds of the mean latency of all requests (good and failed), in nanoseconds, under these
    findings about a percentile. A bound is None if that side is unbounded."""
    low = high = load.mean_ns
    for doubt in findings:
        # A mean does not need the rare requests that `few_requests` is about.
        if doubt.effect is None or doubt.check == few_requests.NAME:
            continue
        if doubt.severity == "limitation":
            continue
        least, most = _of_mean(doubt, load)
        if doubt.effect in ("longer", "either"):
            low = None if low is None or least is None else min(low, least)
        if doubt.effect in ("shorter", "either"):
            high = None if high is None or most is None else max(high, most)
    return low, high


def _of_mean(doubt: Finding, load: LoadEvidence) -> Bounds:
    """The bounds of the mean under a single doubt. The size of a doubt is a share of the
    percentile. The size is valid for the mean only if all latencies changed by the same factor, for
    example by a change of the machine's speed."""
    mean_ns = load.mean_ns
    if mean_ns is None:
        return None, None
    if doubt.check == generator_delay.NAME:
        return None if load.least is None else load.least.mean, mean_ns
    if doubt.check == errors.NAME:
        return _with_failures(load), None
    if doubt.check == calibration.NAME and doubt.size is not None:
        return mean_ns * (1 - doubt.size), mean_ns / (1 - doubt.size)
    if doubt.check == WARM_UP and load.levels:
        means = [one.latency.mean for one in load.levels if one.latency.mean is not None]
        return min(means), max(means)
    return None, None


def _with_failures(load: LoadEvidence) -> float:
    """The least mean of all requests: the failed requests took no time, and the slowest answers are
    those whose wrong bodies were not compared."""
    latency = load.latency
    right = latency.total - ceil(load.steady_unseen)
    counts = np.diff(np.minimum(latency.cumulative_counts, max(0, right)), prepend=0)
    least_ns = (latency.least + latency.greatest) / 2 @ counts
    return float(least_ns) / (latency.total + load.steady_failures)
