"""CPU time that the kernel did not add to the program's CPU time."""

from __future__ import annotations

from evidence.honest_run import honest_run
from evidence.records import Records
from fairness.stories import SMALL, Story
from runfair.fairness.checks.uncounted_time import check
from runfair.fairness.verdict import verdicts
from runfair.formats.execution import Execution


def missing(run: Records, share: float) -> Records:
    """The run in which this share of the CPU time of a cell is missing."""

    def change(record: Execution) -> Execution:
        missing_ns = round(record.launch.cpu_ns * share / (1 - share))
        launch = record.launch.model_copy(update={"uncounted_ns": missing_ns})
        return record.model_copy(update={"launch": launch})

    return run.with_executions(SMALL, change)


def half_in_the_iterations(run: Records) -> Records:
    """The process used twice the CPU time of its iterations."""

    def change(record: Execution) -> Execution:
        launch = record.launch.model_copy(update={"cpu_ns": 2 * record.launch.cpu_ns})
        return record.model_copy(update={"launch": launch})

    return run.with_executions(SMALL, change)


STORIES = (
    Story("just within 1% is missing", lambda run: missing(run, 0.0099), None),
    Story("just above 1% is missing", lambda run: missing(run, 0.0101), "warning"),
    Story(
        "half of the CPU time, and all of the missing time, lies in the iterations",
        lambda run: missing(half_in_the_iterations(run), 0.006),
        "warning",
    ),
    Story(
        "no cgroup, and one thread",
        lambda run: run.with_launches(SMALL, uncounted_ns=None),
        None,
    ),
    Story(
        "no cgroup, and threads that end",
        lambda run: run.with_launches(SMALL, uncounted_ns=None).with_cell(SMALL, starts_tasks=True),
        "limitation",
    ),
)


def test_the_true_cpu_time_is_at_most_the_counted_and_the_missing_time() -> None:
    share = 0.2
    honest, run = honest_run().evidence(), missing(honest_run(), share).evidence()
    known, doubted = (
        verdicts(cell, list(check(of))).figures["cpu"]
        for of in (honest, run)
        for cell in of.cells
        if cell.cell.id == SMALL
    )
    assert (known.state, known.bounds) == ("fair", None)
    assert doubted.state == "flagged"
    assert doubted.bounds is not None
    low, high = doubted.bounds
    assert low is not None
    assert high is not None
    assert 1 / (1 - share) < high / low < 1.5 / (1 - share)
