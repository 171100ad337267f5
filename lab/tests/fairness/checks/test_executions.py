"""Too few executions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import PYTHON, cell_id, honest_run
from evidence.records import Records
from fairness.stories import Story
from runfair.fairness.checks.executions import check
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


def interrupted(run: Records) -> Records:
    last = [record.id for record in run.executions if record.cell == CELL][-1]
    return replace(run, executions=tuple(one for one in run.executions if one.id != last))


@pytest.mark.parametrize(
    ("run", "advice"),
    [
        (interrupted(honest_run()), "complete the run with `./runfair resume RUN`"),
        (honest_run().failing(CELL, 1), "repair what failed, then run again"),
        (honest_run().without(CELL, 1), "take a greater profile"),
    ],
    ids=["interrupted", "failed", "complete as planned"],
)
def test_resuming_is_advised_where_something_is_left(run: Records, advice: str) -> None:
    assert [finding.advice for finding in check(run.evidence())] == [advice]
