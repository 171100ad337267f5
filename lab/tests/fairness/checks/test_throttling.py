"""Quotas that nobody asked for."""

from __future__ import annotations

from fairness.runs import MILLISECOND, Records
from fairness.stories import SMALL, Story
from runfair.formats.plan import Factors


def quota(run: Records) -> Records:
    """For every cell, since cells of different factors are not compared."""
    return run.with_cells(lambda _: True, factors=Factors(cpu_quota=0.5)).with_launches(
        SMALL, nr_periods=100, throttled_periods=40, throttled_ns=MILLISECOND
    )


def all_told(run: Records) -> Records:
    for cell in run.plan.cells:
        run = run.with_launches(cell.id, nr_periods=100)
    return run


STORIES = (
    Story(
        "its own group, once",
        lambda run: run.with_launches(SMALL, 1, throttled_periods=1, throttled_ns=1),
        "fault",
    ),
    Story(
        "the surrounding group",
        lambda run: run.with_launches(SMALL, 1, ambient_throttled_ns=1),
        "fault",
    ),
    Story(
        "the surrounding group, below a quota asked for",
        lambda run: quota(all_told(run)).with_launches(SMALL, 1, ambient_throttled_ns=1),
        "fault",
    ),
    Story("a quota asked for", lambda run: quota(all_told(run)), None),
    Story(
        "the surrounding group not told",
        lambda run: run.with_launches(SMALL, ambient_throttled_ns=None),
        "limitation",
    ),
)
