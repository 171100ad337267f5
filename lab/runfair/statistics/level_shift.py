"""The places at which a short series of runs changes its level, found by permutation tests of cuts.
A cut divides the series into an earlier and a later part.

The steady-state detector has hundreds of blocks and assumes a likelihood. A series of runs has only
ten to fifty values. The only assumption of this module is that the noise of the values has no
order. The test therefore asks whether a random order of the values splits as clearly as the
observed order. The test is valid for any distribution and any length if runs are independent.
Outlying values are first limited, so that a single outlier does not form a level.

First every single cut is tried. Then every stretch (a row of neighbouring values) is compared with
the values around it, because single cuts do not find a level that went up and came back. Finally
each cut must be significant between its two neighbouring cuts. A change is found at the earliest
when three runs follow it. In a short series, a change is found only if there are five runs on each
side.

The table gives the simulated rates at a level of 1% per test, with 400 repetitions: how often an
unchanged series is reported as changed, and how often a step of three standard deviations is found
within one run of its true place:

    runs                                    10      20      50
    nothing changes                        0.3%    1.5%    2.0%
    nothing changes, but half of a run's
    deviation persists in the next run     5.8%     26%     44%
    step in the middle                      53%     94%     98%
    step before the last four               52%     84%     93%
    step before the last three               3%     66%     88%
    up for the middle third                   -     87%     92%

If a machine's speed drifts slowly between runs, the test reports the series as changed. The
argument `smallest` suppresses these reports if the drift is smaller than the changes of interest.

Sources: Antoch and Hušková, Statistics & Probability Letters 53 (2001), for permutations; Olshen et
al., Biostatistics 5 (2004), for stretches and pruning; Daly et al., ICPE 2020, for such tests on
series of performance tests.
"""

from collections.abc import Callable
from itertools import combinations, pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from runfair.statistics.array import FloatArray, IntArray

LEVEL = 0.01
SHORTEST = 2
PERMUTATIONS = 999
SEED = 1979
CHUNK = 37
"""The number of permutations computed at a time. For most unchanged series a few dozen permutations
are enough."""
ENUMERATED = 20_000
ROUNDING = 1e-9
FARTHEST = 4.0
NORMAL_MAD = 0.6745
"""The median distance of normally distributed values from their median, in standard deviations."""


def level_shifts(values: npt.ArrayLike, *, smallest: float = 0.0) -> list[int]:
    """The indices at which a new level begins, in ascending order.

    `smallest` is the smallest change of the medians that counts, up or down: 0.03 for 3%. The same
    values always give the same answer. Raises ValueError if a value is not positive and finite.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not np.isfinite(series).all() or (series <= 0).any():
        raise ValueError("the values must be a one-dimensional array of positive, finite numbers")
    random = np.random.default_rng(SEED)
    found = sorted(_cuts(series, 0, series.size, random))
    return _pruned(series, found, smallest, random)


def _cuts(series: FloatArray, start: int, end: int, random: np.random.Generator) -> set[int]:
    if end - start < 2 * SHORTEST:
        return set()
    clipped = _clipped(series[start:end])
    centred = clipped - clipped.mean()
    for candidates in (_single_cuts, _stretches):
        first, last = candidates(end - start)
        if first.size and (place := _clearest(centred, first, last, random)) is not None:
            edges = {start + int(first[place]), start + int(last[place])} - {start, end}
            bounds = sorted({start, end} | edges)
            return edges.union(
                *(_cuts(series, low, high, random) for low, high in pairwise(bounds))
            )
    return set()


def _single_cuts(count: int) -> tuple[IntArray, IntArray]:
    """All stretches that begin at the start of the series."""
    last = np.arange(SHORTEST, count - SHORTEST + 1)
    return np.zeros_like(last), last


def _stretches(count: int) -> tuple[IntArray, IntArray]:
    """All stretches inside the series that leave room for a level on both sides."""
    first, last = np.triu_indices(count + 1, SHORTEST)
    inside = (first >= SHORTEST) & (last <= count - SHORTEST)
    return first[inside], last[inside]


def _clearest(
    centred: FloatArray, first: IntArray, last: IntArray, random: np.random.Generator
) -> int | None:
    """The stretch with the clearest difference from the rest, if it is significant against random
    orders."""
    seen = _stands_out(centred[None, :], first, last)[0]
    place, threshold = int(np.argmax(seen)), float(seen.max()) - ROUNDING
    exceeding, drawn = 0, 0
    most = int(LEVEL * (PERMUTATIONS + 1)) - 1
    while drawn < PERMUTATIONS and exceeding <= most:
        size = min(CHUNK, PERMUTATIONS - drawn)
        shuffled = random.permuted(np.tile(centred, (size, 1)), axis=1)
        greatest = _stands_out(shuffled, first, last).max(axis=1)
        exceeding += int(np.count_nonzero(greatest >= threshold))
        drawn += size
    return place if exceeding <= most else None


def _stands_out(rows: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """The squared sum of each stretch divided by its variance, up to a constant factor."""
    count = rows.shape[1]
    sums = np.concatenate((np.zeros((rows.shape[0], 1)), np.cumsum(rows, axis=1)), axis=1)
    lengths = last - first
    gaps: FloatArray = (sums[:, last] - sums[:, first]) ** 2 / (lengths * (count - lengths))
    return gaps


def _pruned(
    series: FloatArray,
    found: list[int],
    smallest: float,
    random: np.random.Generator,
) -> list[int]:
    """Removes the weakest cut until each cut is significant between its neighbours."""

    def weakest(strength: Callable[[FloatArray, FloatArray], float]) -> tuple[float, int]:
        bounds = [0, *cuts, series.size]
        return max(
            (strength(series[bounds[place] : cut], series[cut : bounds[place + 2]]), cut)
            for place, cut in enumerate(cuts)
        )

    cuts = list(found)
    while cuts:
        p, cut = weakest(lambda before, after: _p_between(before, after, random))
        if p <= LEVEL:
            gap, cut = weakest(lambda before, after: -_gap(before, after))
            if -gap >= np.log1p(smallest):
                break
        cuts.remove(cut)
    return cuts


def _gap(before: FloatArray, after: FloatArray) -> float:
    return float(abs(np.log(np.median(after) / np.median(before))))


def _p_between(before: FloatArray, after: FloatArray, random: np.random.Generator) -> float:
    """The two-sided p value of a permutation test of means (Pitman 1937). The p value is exact if
    there are few permutations."""
    clipped = _clipped(np.concatenate((before, after)))
    centred = clipped - clipped.mean()
    size = min(before.size, after.size)
    seen = abs(centred[: before.size].sum()) - ROUNDING
    if comb(centred.size, size) <= ENUMERATED:
        chosen = np.array(list(combinations(range(centred.size), size)), dtype=np.int64)
        return float(np.mean(np.abs(centred[chosen].sum(axis=1)) >= seen))
    shuffled = random.permuted(np.tile(centred, (PERMUTATIONS, 1)), axis=1)
    as_far = np.abs(shuffled[:, :size].sum(axis=1)) >= seen
    return float((1 + np.count_nonzero(as_far)) / (1 + PERMUTATIONS))


def _clipped(series: FloatArray) -> FloatArray:
    """Logarithms around their median, limited to four deviations. The standard deviation is
    estimated from differences of neighbouring values, because changes of level would inflate an
    estimate from all values."""
    logs = np.log(series)
    centred = logs - np.median(logs)
    deviation = (
        float(np.median(np.abs(np.diff(logs)))) / (NORMAL_MAD * np.sqrt(2))
        or float(np.median(np.abs(centred))) / NORMAL_MAD
        or float(np.std(centred))
    )
    drawn_in: FloatArray = np.clip(centred, -FARTHEST * deviation, FARTHEST * deviation)
    return drawn_in
