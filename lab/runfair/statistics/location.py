"""One variant's own figure, over its executions."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runfair.statistics.log_interval import logs, of_sample


@dataclass(frozen=True)
class Location:
    """In the unit of the values given. The limits are None where no spread was seen: for a single
    execution, or for identical values."""

    value: float
    low: float | None
    high: float | None
    executions: int


def location(values: npt.ArrayLike, *, confidence: float = 0.95) -> Location:
    """The geometric centre of one value an execution, with a t interval on logs.

    The interval is for this machine in this run: two variants whose intervals overlap may well
    differ, since the comparison is paired and this is not. Raises ValueError for values that are
    not positive and finite. Source: Georges et al. (OOPSLA 2007), on logs.
    """
    sample = logs(values)
    estimate = of_sample(sample)
    interval = estimate.interval(confidence)
    low, high = interval if interval is not None else (None, None)
    return Location(float(np.exp(estimate.mean)), low, high, sample.size)
