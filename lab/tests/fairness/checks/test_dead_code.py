"""Work that was never done."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evidence.honest_run import GCC, OPERATIONS, PYTHON, cell_id
from evidence.records import MILLISECOND, Records, Series
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


def other_parameters(run: Records) -> Records:
    """Other parameters may make small operations of large ones."""
    return growing(run, 4.1).with_cell(SNAKE, own="pieces=9")


def cold_and_growing(run: Records) -> Records:
    """A cold start takes its time whatever it is asked for."""

    def once(series: Series) -> Series:
        wall_ns, cpu_ns = times(1 / 8)(series)
        return wall_ns[:1], cpu_ns[:1]

    return run.with_cell(SNAKE, mode="cold").with_series(SNAKE, once)


def coarse(run: Records, resolution_ns: int) -> Records:
    """Nine operations a nanosecond, by a clock that steps by so much."""
    return run.with_series(SMALL, times(2 / 9)).with_starts(
        SMALL, cpu_clock_resolution_ns=resolution_ns
    )


# The clock is too coarse for the figures as well.
TOO_COARSE = frozenset({"clock", "wall_over_cpu"})

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
        "the larger size stands first in the plan",
        lambda run: large_is_small_times(run.with_plan(cells=list(reversed(run.plan.cells))), 1.6),
        "fault",
        SNAKE,
    ),
    Story("the work grows four times, by other parameters", other_parameters, None),
    Story("two sizes of a cold start", cold_and_growing, None),
    # Of sixty iterations the mean is off by √60 steps in sixty.
    Story(
        "nine by a clock that may be off by a tenth",
        lambda run: coarse(run, 400 * MILLISECOND),
        None,
        also=TOO_COARSE,
    ),
    Story(
        "nine by a clock that may be off by a twentieth",
        lambda run: coarse(run, 100 * MILLISECOND),
        "fault",
        also=TOO_COARSE,
    ),
    Story(
        "operations not known",
        lambda run: run.with_cells(lambda cell: cell.variant == PYTHON.name, operations=None),
        "limitation",
        SNAKE,
        frozenset({"equal_conditions"}),
    ),
)
