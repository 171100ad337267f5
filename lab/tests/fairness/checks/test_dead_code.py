"""Work that was never done."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairness.runs import GCC, OPERATIONS, PYTHON, Records, Series, cell_id
from fairness.stories import SMALL, Story

SNAKE = cell_id(PYTHON, "large")


def times(factor: float) -> Callable[[Series], Series]:
    def change(series: Series) -> Series:
        return (series[0] * factor).astype(np.int64), (series[1] * factor).astype(np.int64)

    return change


def large_is_small_times(run: Records, factor: float) -> Records:
    """At eight times the work, which may not take less than 8 to the 0.25th, 1.68 times."""
    return run.with_series(SNAKE, times(factor / 8))


def growing(run: Records, work: float) -> Records:
    """By so much from small to large, where CPU time stays the same."""
    operations = {"tries": round(sum(OPERATIONS.values()) * work)}
    return run.with_cell(SNAKE, operations=operations).with_series(SNAKE, times(1 / 8))


STORIES = (
    # 2.4e9 operations in 1.2 s are two a nanosecond.
    Story("seven operations a nanosecond", lambda run: run.with_series(SMALL, times(2 / 7)), None),
    Story(
        "nine operations a nanosecond", lambda run: run.with_series(SMALL, times(2 / 9)), "fault"
    ),
    Story(
        "nine in a cold process",
        lambda run: run.with_series(cell_id(GCC, mode="cold"), times(2 / 9)),
        "fault",
        cell_id(GCC, mode="cold"),
    ),
    Story("time hardly grows", lambda run: large_is_small_times(run, 1.6), "fault", SNAKE),
    Story(
        "at the smaller size too",
        lambda run: large_is_small_times(run, 1.6),
        "fault",
        cell_id(PYTHON),
    ),
    Story("time grows a little", lambda run: large_is_small_times(run, 1.8), None),
    Story(
        "the work hardly grows either",
        lambda run: growing(run, 3.9),
        None,
    ),
    Story("the work grows four times", lambda run: growing(run, 4.1), "fault", SNAKE),
    Story(
        "operations not known",
        lambda run: run.with_cells(lambda cell: cell.variant == PYTHON.name, operations=None),
        "limitation",
        SNAKE,
        frozenset({"equal_conditions"}),
    ),
)
