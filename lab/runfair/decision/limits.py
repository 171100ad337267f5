"""A time that is known to lie between two values, one of each a request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Limits:
    """`least_ns` and `most_ns` have shape (requests,); where they are one, the time is known.
    ValueError where the most is below the least, or anything below nothing."""

    least_ns: FloatArray
    most_ns: FloatArray

    def __post_init__(self) -> None:
        if self.least_ns.shape != self.most_ns.shape or self.least_ns.ndim != 1:
            raise ValueError("limits are two rows of one value a request")
        if not ((self.least_ns >= 0) & (self.least_ns <= self.most_ns)).all():
            raise ValueError("the least of a time is not negative, and not above its most")

    @classmethod
    def exactly(cls, times_ns: npt.ArrayLike) -> Limits:
        times = np.asarray(times_ns, dtype=np.float64)
        return cls(times, times)

    @classmethod
    def at_most(cls, times_ns: npt.ArrayLike) -> Limits:
        times = np.asarray(times_ns, dtype=np.float64)
        return cls(np.zeros_like(times), times)

    def within(self, room_ns: FloatArray) -> Limits:
        """What of it finds room."""
        return Limits(np.minimum(self.least_ns, room_ns), np.minimum(self.most_ns, room_ns))
