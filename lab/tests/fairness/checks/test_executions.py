"""Too few executions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import PYTHON, cell_id, honest_run
from evidence.records import Records
from fairness.stories import Story
from result.test_run import result_of
from runfair.fairness.checks.executions import check
from runfair.formats.execution import Execution
from runfair.formats.plan import Effort

CELL = cell_id(PYTHON)

# What is left of it stands at the beginning of the run, its baseline all along it.
APART = frozenset({"order"})


def asked_for(run: Records, executions: int) -> Records:
    return run.with_plan(effort=Effort(executions=executions, max_seconds=6, timeout_seconds=60))


def spread(run: Records, factor: float) -> Records:
    """The memory of each execution is so many times that of the one before."""
    mine = [one.id for one in run.executions if one.cell == CELL]

    def change(record: Execution) -> Execution:
        grown = round(record.launch.peak_tree_bytes * factor ** mine.index(record.id))
        launch = record.launch.model_copy(update={"peak_tree_bytes": grown})
        return record.model_copy(update={"launch": launch})

    return run.with_executions(CELL, change)


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
    Story("six that differ wildly", lambda run: spread(run, 4.0), "warning", CELL),
    Story("six that differ much", lambda run: spread(run, 1.5), None),
)


def interrupted(run: Records) -> Records:
    last = [record.id for record in run.executions if record.cell == CELL][-1]
    return replace(run, executions=tuple(one for one in run.executions if one.id != last))


@pytest.mark.parametrize(
    ("run", "advice"),
    [
        (interrupted(honest_run()), "complete the run with `./runfair resume RUN`"),
        (
            honest_run().failing(CELL, 1),
            ("correct the cause of the failed executions, and run again"),
        ),
        (
            honest_run().without(CELL, 1),
            "choose a longer profile (`--profile`), which has more executions",
        ),
    ],
    ids=["interrupted", "failed", "complete as planned"],
)
def test_resuming_is_advised_where_something_is_left(run: Records, advice: str) -> None:
    assert [finding.advice for finding in check(run.evidence())] == [advice]


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (honest_run().without(CELL, 1), "only 5 of 6 executions completed"),
        (
            honest_run().without(CELL, 5),
            "only 1 of 6 executions completed, which is too few for a confidence interval",
        ),
    ],
)
def test_what_is_said_of_too_few(run: Records, text: str) -> None:
    assert [one.text for one in check(run.evidence())] == [text]


@pytest.mark.parametrize(
    ("asked", "left", "text"),
    [
        (2, 2, "2 executions; a fair result needs 6 executions"),
        (
            1,
            1,
            "1 execution, which is too few for a confidence interval; a fair result needs 6 "
            "executions",
        ),
        (
            2,
            1,
            (
                "only 1 of 2 executions completed, which is too few for a confidence interval; a "
                "fair result needs 6 executions"
            ),
        ),
    ],
)
def test_what_is_said_of_few_that_were_planned(asked: int, left: int, text: str) -> None:
    planned = honest_run()
    mine = [one.id for one in planned.plan.executions if one.cell == CELL][:asked]
    others = [one for one in planned.plan.executions if one.cell != CELL or one.id in mine]
    run = asked_for(planned, asked).without(CELL, 6 - left).with_plan(executions=others)
    assert [one.text for one in check(run.evidence()) if one.cell == CELL] == [text]


def test_an_interval_that_is_too_wide_is_not_shown() -> None:
    wild, much = (
        next(one for one in result_of(spread(honest_run(), factor)).cells if one.id == CELL)
        for factor in (4.0, 1.5)
    )
    assert wild.figures["memory"].value is not None
    assert wild.figures["memory"].interval is None
    assert wild.figures["memory"].verdict == "flagged"
    assert "differ so much" in wild.figures["memory"].findings[0].text
    assert much.figures["memory"].interval is not None
    assert much.figures["memory"].verdict == "fair"
