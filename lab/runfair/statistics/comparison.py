"""The comparison of two variants: the ratio of their figures with its confidence interval, the
correction of the p values over a table, and the mean of the ratios over benchmarks.

A value is one execution's own figure: the median wall time of its steady iterations, or the mean
CPU time over its steady part. Each block of the experiment runs all variants in a random order, and
then in the reverse order (the mirror), so each variant has two executions in each block.

The two variants' executions in the same half-block are a pair. The random order gives the first
pair of a block, and its mirror gives the second pair. The table gives the simulated coverage of a
nominal 95% interval and its half-width. The simulation had a standard deviation of 1.5% between
processes, 4 executions, and 20,000 repetitions:

    pairs              no drift     4% drift     4% step      the other side five times quieter
    blocks of two      95% 10.6%    95% 10.8%    95% 13.0%    95%
    half-blocks        95%  3.1%    96%  3.3%    96%  3.7%    95%
    none, Welch        96%  2.7%    99%  3.8%    98%  4.2%    94%; with the drift 100%
    block effects,
    pooled residual    95%  2.6%    97%  3.0%    97%  3.5%    92%

Only half-blocks cover 95% in every column, because they assume neither a shape of the drift nor
equal spreads (a compiled program has less spread than a program under a JIT). Half-blocks keep 3, 5
and 9 degrees of freedom for 4, 6 and 10 executions; pairs of blocks keep 1, 2 and 4. The mirror is
needed too: the effect of a drift in one half-block cancels with the opposite effect in the other,
so a drift widens the interval but does not shift it.

Sources: Georges et al., "Statistically rigorous Java performance evaluation" (OOPSLA 2007), and
Kalibera and Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013), for the execution as the
unit of repetition; Welch (Biometrika 34, 1947).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.statistics.log_interval import LogEstimate, combined, logs, of_sample

Method = Literal["paired", "welch"]
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """The ratio variant / baseline: 2.0 means twice the baseline's time.

    `p` is the two-sided p value against a ratio of 1, not corrected for the number of comparisons.
    `low`, `high` and `p` are None if the spread is unknown. The spread is unknown if there are
    fewer than two pairs (Welch: fewer than two executions on a side). The spread is also unknown if
    all values are equal, because then the clock is too coarse or the figure is a count. `pairs` is
    0 for Welch. `log_standard_error` and `degrees_of_freedom` are on the log scale and are used to
    combine ratios; both are 0 if there is no interval. If several hosts measured the ratio,
    `on_these_hosts` is the interval that is valid for these hosts only.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None
    pairs: int
    method: Method
    log_standard_error: float
    degrees_of_freedom: float
    on_these_hosts: tuple[float, float] | None = None

    def within_noise_floor(self, noise_floor: float) -> bool:
        """Whether the difference, in either direction, is at most the machine's noise floor."""
        return bool(abs(np.log(self.value)) <= np.log1p(noise_floor))


def paired_ratio(
    variant: npt.ArrayLike, baseline: npt.ArrayLike, *, confidence: float = CONFIDENCE
) -> Ratio:
    """The ratio of paired values, with the confidence interval of a paired t test on logarithms.

    Both sides have the same shape: (blocks, 2) for the executions of the order and of its mirror,
    or (pairs,). The caller leaves out a pair if one of its executions is missing. Raises ValueError
    if the shapes differ, or if a value is not positive and finite.
    """
    ours, theirs = np.asarray(variant, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if ours.shape != theirs.shape:
        raise ValueError(
            "the values are compared in pairs, but the two arrays have different shapes"
        )
    differences = logs(ours.ravel()) - logs(theirs.ravel())
    return _ratio(of_sample(differences), "paired", differences.size, confidence)


def welch_ratio(variant: npt.ArrayLike, baseline: npt.ArrayLike) -> Ratio:
    """The ratio of unpaired values, for example of two runs, with the confidence interval of
    Welch's t on logarithms.

    The sides are rows of any lengths. Raises ValueError if a value is not positive and finite. If
    the machine drifts between the sides, the drift appears as a difference.
    """
    ours, theirs = of_sample(logs(variant)), of_sample(logs(baseline))
    estimate = combined(ours.mean - theirs.mean, (ours, theirs))
    return _ratio(estimate, "welch", 0, CONFIDENCE)


def _ratio(estimate: LogEstimate, method: Method, pairs: int, confidence: float) -> Ratio:
    interval = estimate.interval(confidence)
    low, high = interval if interval is not None else (None, None)
    return Ratio(
        value=float(np.exp(estimate.mean)),
        low=low,
        high=high,
        p=estimate.p_value(),
        pairs=pairs,
        method=method,
        log_standard_error=estimate.standard_error if estimate.has_spread else 0.0,
        degrees_of_freedom=estimate.degrees_of_freedom if estimate.has_spread else 0.0,
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p values corrected by Holm's method, in the given order. If all statements whose
    corrected p value is at most a level are accepted, the probability that at least one of them is
    a false alarm is at most this level.

    None stands for a comparison without a p value; it stays None and is not counted. Raises
    ValueError if a p value is outside [0, 1]. Source: Holm, "A simple sequentially rejective
    multiple test procedure", Scandinavian Journal of Statistics 6 (1979). The method corrects the
    statements of a table ("differs"), not the intervals, and does not assume independence.
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    stated = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not ((stated >= 0) & (stated <= 1)).all():
        raise ValueError("p values must lie in [0, 1]")
    ascending = np.argsort(stated, kind="stable")
    factors = np.arange(stated.size, 0, -1)
    stepped = np.minimum(np.maximum.accumulate(stated[ascending] * factors), 1.0)
    adjusted: list[float | None] = [None] * len(p_values)
    for rank, position in enumerate(ascending):
        adjusted[places[position]] = float(stepped[rank])
    return adjusted


@dataclass(frozen=True)
class GeometricMean:
    """The geometric mean of ratios. The limits of the mean and `p` are None if any of the ratios
    has no interval."""

    value: float
    low: float | None
    high: float | None
    p: float | None
    benchmarks: int


def geometric_mean(ratios: Sequence[Ratio]) -> GeometricMean:
    """The geometric mean over benchmarks of two variants' ratios; all benchmarks have the same
    weight.

    The mean assumes that the noises of the benchmarks' ratios are independent. The assumption holds
    even if benchmarks share blocks: every execution is a separate process, and an effect on a whole
    half-block cancels in its pair. The alternative is to average all benchmarks' log ratios in each
    half-block, with t over half-blocks. The alternative assumes less, but has only 3 degrees of
    freedom for 4 executions, whatever the number of benchmarks. In simulations with independent
    noises, both methods cover 95%; the alternative's intervals are 36% wider for 5 benchmarks and 4
    executions, 9% wider for 10 executions. The interval is a statement about these benchmarks on
    this machine, not about a population of benchmarks.

    Raises ValueError if there are no ratios. Source: Fleming and Wallace, "How not to lie with
    statistics" (CACM 29, 1986).
    """
    if not ratios:
        raise ValueError("no ratios to combine")
    count = len(ratios)
    parts = [
        LogEstimate(
            float(np.log(ratio.value)), ratio.log_standard_error / count, ratio.degrees_of_freedom
        )
        for ratio in ratios
    ]
    estimate = combined(float(np.mean([part.mean for part in parts])), parts)
    interval = estimate.interval(CONFIDENCE)
    low, high = interval if interval is not None else (None, None)
    return GeometricMean(float(np.exp(estimate.mean)), low, high, estimate.p_value(), count)
