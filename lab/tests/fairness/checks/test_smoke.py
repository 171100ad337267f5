"""A smoke run is never fair."""

from __future__ import annotations

from evidence.honest_run import honest_run
from fairness.stories import Story
from runfair.fairness.verdict import judge

STORIES = (
    Story("smoke", lambda run: run.with_plan(profile="smoke"), "warning", None),
    Story("quick", lambda run: run.with_plan(profile="quick"), None),
    Story("publish", lambda run: run.with_plan(profile="publish"), None),
)


def test_no_figure_of_a_smoke_run_is_fair() -> None:
    verdict = judge(honest_run().with_plan(profile="smoke").evidence())
    states = {figure.state for cell in verdict.cells for figure in cell.figures.values()}
    assert states == {"flagged"}
