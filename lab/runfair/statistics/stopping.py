"""The stopping rule: whether a running execution has run long enough.

No rule on past data alone can foresee a later compilation tier: the rules "coefficient of variation
below 2%" and "slope is flat" stop on plateaus, and were wrong on 16 to 18 of 18 curves with
plateaus. Stopping early therefore needs a least duration (the floor), which is computed from two
long pilot executions. An execution that stopped early is classified again afterwards, and is never
deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from runfair.statistics.array import FloatArray
from runfair.statistics.steady_state import detect

Reason = Literal["no floor", "below the floor", "not steady", "steady too briefly", "too wide"]

PILOT_MARGIN = 1.5
STEADY_SHARE = 0.5
HALF_WIDTH = 0.005
"""PILOT_MARGIN, STEADY_SHARE and HALF_WIDTH were measured on simulated late compilation tiers
(warm-ups of 100 to 15,000 iterations)."""

BATCHES = 20
FEWEST_BATCHES = 5
CONFIDENCE = 0.95

FIRST_LOOK_NS = 500_000_000
LOOK_GROWTH = 1.25
"""The rule is evaluated at geometrically spaced times. An evaluation costs in proportion to the
iterations so far, so all evaluations together cost five times as much as the last evaluation
alone."""


@dataclass(frozen=True)
class Enough:
    """The execution may stop: it is steady from iteration `start` on; `half_width` (a fraction) is
    the half-width of its median."""

    start: int
    half_width: float


@dataclass(frozen=True)
class NotYet:
    """The execution must continue. `reason` is the first reason found, in the order of the
    checks."""

    reason: Reason


def next_look_ns(elapsed_ns: int) -> int:
    """The time at which to evaluate the rule again, on the clock of `elapsed_ns`. These times are
    geometrically spaced."""
    return max(FIRST_LOOK_NS, int(np.ceil(elapsed_ns * LOOK_GROWTH)))


def floor_ns(pilot_steady_starts_ns: Sequence[int | None]) -> int | None:
    """The least time that an execution must run: 1.5 times the later steady start of the pilots.

    The result is None if a pilot never became steady. The execution is then never stopped early.
    Raises ValueError if there are fewer than two pilots.
    """
    if len(pilot_steady_starts_ns) < 2:
        raise ValueError(
            "the minimum length of an execution can be computed only from two or more pilots (long "
            "first executions)"
        )
    starts = [start for start in pilot_steady_starts_ns if start is not None]
    if len(starts) < len(pilot_steady_starts_ns):
        return None
    return int(np.ceil(PILOT_MARGIN * max(starts)))


def enough(
    durations_ns: npt.ArrayLike,
    *,
    elapsed_ns: int,
    floor_ns: int | None,
    tolerance: float = 0.0,
    half_width: float = HALF_WIDTH,
) -> Enough | NotYet:
    """Whether the iterations so far are enough to stop the execution.

    `elapsed_ns` and `floor_ns` (see the function `floor_ns`) are counted from the first iteration.
    Cheap checks come first. Raises ValueError in the same cases as `detect`.
    """
    if floor_ns is None:
        return NotYet("no floor")
    if elapsed_ns < floor_ns:
        return NotYet("below the floor")
    durations = np.asarray(durations_ns, dtype=np.float64)
    start = detect(durations, tolerance=tolerance).start
    if start is None:
        return NotYet("not steady")
    steady = durations[start:]
    if steady.sum() < STEADY_SHARE * elapsed_ns:
        return NotYet("steady too briefly")
    seen = batch_half_width(steady)
    if seen is None or seen > half_width:
        return NotYet("too wide")
    return Enough(start, seen)


def batch_half_width(steady_ns: FloatArray) -> float | None:
    """The 95% half-width, as a fraction, of the mean of up to 20 batches' medians.

    The function uses batches because neighbouring iterations are correlated (method of batch means:
    Law and Kelton, "Simulation Modeling and Analysis"). The result is None if there are fewer than
    5 iterations or the mean is zero.
    """
    batches = min(BATCHES, steady_ns.size)
    if batches < FEWEST_BATCHES:
        return None
    length = steady_ns.size // batches
    # The earliest iterations are left out if the batches do not divide evenly: the latest
    # iterations are the steadiest.
    medians = np.median(steady_ns[-batches * length :].reshape(batches, length), axis=1)
    centre = float(medians.mean())
    if centre == 0:
        return None
    quantile = float(stdtrit(batches - 1, (1 + CONFIDENCE) / 2))
    return float(quantile * medians.std(ddof=1) / np.sqrt(batches) / centre)
