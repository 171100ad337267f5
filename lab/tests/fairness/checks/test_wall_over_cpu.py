"""Ready to compute, and not given a processor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evidence.honest_run import GCC, JAVA, cell_id
from evidence.records import MILLISECOND, SECOND, Records, Series
from fairness.checks.test_throttling import all_told, quota
from fairness.stories import SMALL, Story
from runfair.formats.plan import Drive

DRIVE = Drive(protocol="resp", connections=8, requests=10)


def waiting(ratio: float) -> Callable[[Series], Series]:
    def change(series: Series) -> Series:
        return (series[1] * ratio).astype(np.int64), series[1]

    return change


def reading(run: Records, read_bytes: int) -> Records:
    """Six seconds more than the 60 × 1.2 s of CPU time, and reads that may explain them."""
    slow = run.with_series(SMALL, waiting(78 / 72))
    return slow.with_launches(SMALL, read_bytes=read_bytes)


STORIES = (
    Story(
        "a server waits for its client",
        lambda run: run.with_series(SMALL, waiting(1.5)).with_cell(SMALL, drive=DRIVE),
        None,
    ),
    Story(
        "threads of one program wait for each other",
        lambda run: (run.with_series(SMALL, waiting(1.5)).with_cell(SMALL, threads=2)).with_starts(
            SMALL, threads=2
        ),
        None,
    ),
    Story(
        "tasks that a program starts may sleep",
        lambda run: run.with_series(SMALL, waiting(1.2)).with_cell(SMALL, starts_tasks=True),
        None,
    ),
    Story(
        "a quota of half a processor doubles the wall time",
        lambda run: quota(all_told(run)).with_series(SMALL, waiting(2.0)),
        None,
    ),
    Story("just within 1.02", lambda run: run.with_series(SMALL, waiting(1.0199)), None),
    Story("just above 1.02", lambda run: run.with_series(SMALL, waiting(1.0201)), "fault"),
    Story(
        "in half of the executions", lambda run: run.with_series(SMALL, waiting(1.1), 4), "fault"
    ),
    Story("in one execution", lambda run: run.with_series(SMALL, waiting(1.1), 1), None),
    Story(
        "a JVM computes in more threads than one",
        lambda run: run.with_series(cell_id(JAVA), waiting(0.7)),
        None,
    ),
    Story(
        "a cold start waits",
        lambda run: run.with_series(cell_id(GCC, mode="cold"), waiting(1.5)),
        None,
    ),
    Story("reads explain a part of it", lambda run: reading(run, 48_000_000), "fault"),
    Story("reads may explain it", lambda run: reading(run, 60_000_000), "limitation"),
    Story(
        "a clock just fine enough",
        lambda run: run.with_starts(SMALL, cpu_clock_resolution_ns=92 * MILLISECOND),
        None,
    ),
    Story(
        "a clock too coarse",
        lambda run: run.with_starts(SMALL, cpu_clock_resolution_ns=SECOND),
        "limitation",
        also=frozenset({"clock"}),
    ),
)
