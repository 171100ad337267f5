"""Processes that survived their program."""

from __future__ import annotations

from fairness.runs import honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.left_behind import check

STORIES = (
    Story("one", lambda run: run.with_launches(SMALL, 1, left_behind=1), "warning"),
    Story("children that ended", lambda run: run.with_launches(SMALL, processes_started=5), None),
)


def test_all_are_counted() -> None:
    (finding,) = check(honest_run().with_launches(SMALL, 3, left_behind=2).evidence())
    assert finding.values == {"processes": 6}
