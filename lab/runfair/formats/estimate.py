"""A measured value with its uncertainty."""

from __future__ import annotations

from runfair.formats.record import Record


class Estimate(Record):
    """A value with its 95% confidence interval."""

    value: float
    low: float
    high: float
