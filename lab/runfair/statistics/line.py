"""A straight line through points whose heights are known as ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, linear_regression

Range = tuple[float, float]
TOLERANCE = 0.05
"""The share of a point's height by which its range may miss the line (a proposal, not calibrated).
"""


@dataclass(frozen=True)
class Line:
    """A line. The ranges have the values of all least-squares lines whose points lie within their
    own ranges. `straight`: the line of the central heights meets the range of each point. `steps`
    is the range of the slopes between neighbouring points."""

    slope: Range
    intercept: Range
    straight: bool
    steps: Range


def line(places: Sequence[float], heights: Sequence[float], ranges: Sequence[Range]) -> Line:
    """The line through at least two points with increasing `places`. The slope and the intercept
    are weighted sums of the heights, so they are least and greatest if each height is at an end of
    its range."""
    middle = fmean(places)
    spread = sum((place - middle) ** 2 for place in places)
    slopes = [(place - middle) / spread for place in places]
    rests = [1 / len(places) - middle * weight for weight in slopes]
    central = linear_regression(places, heights)
    fitted = [central.slope * place + central.intercept for place in places]
    points = [*zip(places, heights, strict=True)]
    steps = [(high - low) / (after - before) for (before, low), (after, high) in pairwise(points)]
    return Line(
        slope=_weighted(slopes, ranges),
        intercept=_weighted(rests, ranges),
        straight=all(
            low - TOLERANCE * abs(low) <= one <= high + TOLERANCE * abs(high)
            for one, (low, high) in zip(fitted, ranges, strict=True)
        ),
        steps=(min(steps), max(steps)),
    )


def _weighted(weights: Sequence[float], ranges: Sequence[Range]) -> Range:
    ends = [
        sorted((weight * low, weight * high))
        for weight, (low, high) in zip(weights, ranges, strict=True)
        if weight  # 0 times an infinite end is no number
    ]
    return sum(low for low, _ in ends), sum(high for _, high in ends)
