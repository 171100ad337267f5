"""How far the machine itself moved, by a reference loop whose work never changes."""

import numpy as np
import numpy.typing as npt

from runfair.statistics.log_interval import logs


def drift_between(before_ns: npt.ArrayLike, after_ns: npt.ArrayLike) -> float:
    """The change of the loop's median from one set of readings to another: 0.01 is 1% slower.

    Raises ValueError for readings that are not positive and finite.
    """
    before, after = np.median(logs(before_ns)), np.median(logs(after_ns))
    return float(np.expm1(after - before))


def drift_along(instants_ns: npt.ArrayLike, durations_ns: npt.ArrayLike) -> float:
    """The change along readings at these instants, from the first to the last: 0.01 is 1% slower.

    The median of all pairs' slopes (Theil 1950, Sen 1968) on logs, which up to 29% of wild readings
    do not move. O(n²) pairs: meant for hundreds of readings. Raises ValueError for unequal
    lengths, fewer than two different instants, or readings that are not positive and finite.
    """
    instants = np.asarray(instants_ns, dtype=np.float64)
    readings = logs(durations_ns)
    if instants.shape != readings.shape:
        raise ValueError("each reading needs its instant: the lengths differ")
    earlier, later = np.triu_indices(readings.size, 1)
    elapsed = instants[later] - instants[earlier]
    apart = elapsed != 0
    if not apart.any():
        raise ValueError("a drift needs readings at two different instants")
    slopes = (readings[later] - readings[earlier])[apart] / elapsed[apart]
    return float(np.expm1(np.median(slopes) * np.ptp(instants)))
