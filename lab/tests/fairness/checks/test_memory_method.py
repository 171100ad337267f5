"""Peaks that were not taken alike."""

from __future__ import annotations

from evidence.honest_run import PYTHON, RUNTIMES, cell_id
from evidence.records import EXECUTIONS, Records
from fairness.stories import SMALL, Story

SNAKE = cell_id(PYTHON)


def all_by(run: Records, method: str) -> Records:
    for runtime in RUNTIMES:
        run = run.with_launches(cell_id(runtime), peak_tree_method=method)
    return run


STORIES = (
    Story(
        "not as the baseline's",
        lambda run: run.with_launches(SNAKE, peak_tree_method="cgroup"),
        "warning",
        SNAKE,
    ),
    Story(
        "by two methods",
        lambda run: run.with_launches(SNAKE, 2, peak_tree_method="cgroup"),
        "warning",
        SNAKE,
    ),
    Story(
        "the baseline's by two methods",
        lambda run: run.with_launches(SMALL, 2, peak_tree_method="cgroup"),
        "warning",
    ),
    Story(
        "of one that failed there is none",
        lambda run: run.failing(SNAKE, EXECUTIONS),
        None,
        also=frozenset({"failures", "executions"}),
    ),
    Story("all sampled", lambda run: all_by(run, "sampled_pss"), "limitation", SMALL),
    Story("all by cgroup", lambda run: all_by(run, "cgroup"), None),
)
