"""Peaks that were not taken alike."""

from __future__ import annotations

from fairness.runs import PYTHON, RUNTIMES, Records, cell_id
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
    Story("all sampled", lambda run: all_by(run, "sampled_pss"), "limitation", SMALL),
    Story("all by control group", lambda run: all_by(run, "cgroup"), None),
)
