"""Too few executions."""

from __future__ import annotations

from fairness.runs import PYTHON, Records, cell_id
from fairness.stories import Story
from runfair.formats.plan import Effort

CELL = cell_id(PYTHON)

# What is left of it stands at the beginning of the run, its baseline all along it.
APART = frozenset({"order"})


def asked_for(run: Records, executions: int) -> Records:
    return run.with_plan(effort=Effort(executions=executions, max_seconds=6, timeout_seconds=60))


STORIES = (
    Story(
        "fewer than the profile asks for", lambda run: run.without(CELL, 1), "warning", cell=CELL
    ),
    Story("the profile asks for more", lambda run: asked_for(run, 10), "warning"),
    Story(
        "as planned, and too few", lambda run: asked_for(run, 2).without(CELL, 1), "warning", CELL
    ),
    Story(
        "two are enough for an interval", lambda run: run.without(CELL, 4), "warning", CELL, APART
    ),
    Story("one is not", lambda run: run.without(CELL, 5), "fault", CELL, APART),
    Story("more than the profile asks for", lambda run: asked_for(run, 2), None),
)
