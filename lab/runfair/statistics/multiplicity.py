"""Many statements in one table: Holm's correction.

Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
Statistics 6 (1979). It corrects the statements of a table ("differs"), not its intervals, and
needs no independence.
"""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values, in the order given: those up to a level may all be stated at that level.

    A None is a comparison about which no statement can be made: it stays None and does not count.
    Raises ValueError for p values outside [0, 1].
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
