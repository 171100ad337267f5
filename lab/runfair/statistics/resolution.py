"""What the steps of a clock do to an interval read from it.

A JDK's process CPU clock steps by 10 ms, so that an iteration of 55 ms reads as 50 or 60.
"""


def relative_error(interval_ns: float, resolution_ns: float) -> float:
    """The greatest relative error of one interval between two readings of a stepping clock.

    Each reading is late by less than one step, so their difference errs by less than one step,
    either way. Many iterations between the same two readings count as one interval. An interval of
    zero has an infinite error. Raises ValueError for a negative interval or no resolution.
    """
    if interval_ns < 0 or resolution_ns <= 0:
        raise ValueError("the interval must not be negative, the resolution must be positive")
    return resolution_ns / interval_ns if interval_ns > 0 else float("inf")
