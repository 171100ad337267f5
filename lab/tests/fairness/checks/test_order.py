"""Orders in which drift is somebody's advantage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import CREATED_NS, GCC, PYTHON, cell_id, honest_run
from evidence.records import EXECUTIONS, SECOND, Records
from fairness.stories import Story
from runfair.fairness.checks.order import check
from runfair.formats.execution import Execution

SNAKE = cell_id(PYTHON)


def started(record: Execution, realtime_ns: int) -> Execution:
    launch = record.launch.model_copy(update={"started_realtime_ns": realtime_ns})
    return record.model_copy(update={"launch": launch})


def one_after_the_other(run: Records) -> Records:
    """A…A B…B, as planned."""
    ranks = {cell.id: rank for rank, cell in enumerate(run.plan.cells)}
    planned = sorted(run.plan.executions, key=lambda one: ranks[one.cell])
    stamps = {one.id: CREATED_NS + rank * SECOND for rank, one in enumerate(planned)}
    executions = tuple(started(record, stamps[record.planned]) for record in run.executions)
    return replace(run.with_plan(executions=planned), executions=executions)


def first_to_last(run: Records) -> Records:
    """A cell's first execution was carried out after all others."""
    return run.with_executions(SNAKE, lambda record: started(record, 2 * CREATED_NS), 1)


def repeated_later(run: Records, *, whole: bool) -> Records:
    """A disturbed block, or only the first half of it, was carried out again at the end."""

    def later(record: Execution) -> Execution:
        if record.block != 1 or (record.position >= 2 and not whole):
            return record
        again = record.model_copy(update={"attempt": 2})
        return started(again, record.launch.started_realtime_ns + CREATED_NS)

    return replace(run, executions=tuple(later(record) for record in run.executions))


def lost(run: Records) -> Records:
    mine = [record.id for record in run.executions if record.cell == SNAKE]
    return replace(
        run, executions=tuple(record for record in run.executions if record.id != mine[0])
    )


def another_comparison_between(run: Records) -> Records:
    for cell in run.plan.cells:
        if cell.mode == "cold":
            run = run.with_executions(
                cell.id,
                lambda record: started(record, record.launch.started_realtime_ns + CREATED_NS),
            )
    return run


def on_two_hosts(run: Records, *, split: bool) -> Records:
    """Odd blocks on one host, even ones on another, at the same time; or the halves of each."""

    def placed(record: Execution) -> Execution:
        part = record.position < 2 if split else record.block % 2
        return record.model_copy(update={"host": "one" if part else "two"})

    return replace(run, executions=tuple(placed(record) for record in run.executions))


def blocks_at_once(run: Records) -> Records:
    """Each host carries out block after block, and two hosts do so at the same time."""
    shifted = on_two_hosts(run, split=False)
    return replace(
        shifted,
        executions=tuple(
            started(record, CREATED_NS + (record.block // 2 * 100 + record.position) * SECOND)
            for record in shifted.executions
        ),
    )


def left_by_a_lost_host(run: Records, *, whole: bool) -> Records:
    """Everything ran on one host, but the first block, or a half of it, after all others."""

    def later(record: Execution) -> Execution:
        if record.block != min(one.block for one in run.plan.executions):
            return record
        if not whole and record.position < 2:
            return record
        return started(record, record.launch.started_realtime_ns + CREATED_NS)

    return replace(run, executions=tuple(later(record) for record in run.executions))


STORIES = (
    Story("the block of a lost host", lambda run: left_by_a_lost_host(run, whole=True), None),
    Story(
        "half of a block came last",
        lambda run: left_by_a_lost_host(run, whole=False),
        "warning",
        SNAKE,
    ),
    Story("a pair split over hosts", lambda run: on_two_hosts(run, split=True), "fault", SNAKE),
    Story("whole blocks on two hosts", lambda run: on_two_hosts(run, split=False), None),
    Story("two hosts at the same time", blocks_at_once, None),
    Story("one after the other", one_after_the_other, "warning", SNAKE),
    Story("not as planned", first_to_last, "warning", SNAKE),
    Story("a block repeated whole", lambda run: repeated_later(run, whole=True), None),
    Story("half a block repeated", lambda run: repeated_later(run, whole=False), "warning", SNAKE),
    Story("a block lacks one", lost, "warning", SNAKE, frozenset({"executions"})),
    Story(
        "not planned at all",
        lambda run: run.with_executions(
            SNAKE, lambda record: record.model_copy(update={"planned": "99999"}), 1
        ),
        "warning",
        SNAKE,
    ),
    Story("another comparison stood between", another_comparison_between, None),
    Story(
        "alone in its comparison",
        lambda run: run.with_cells(lambda cell: cell.variant != GCC.name, unsupported="not here"),
        None,
    ),
)


@pytest.mark.parametrize(
    ("order", "apart"),
    [
        ("ABBAABBAABBA", False),  # 0 of the run
        ("AABABABBABAB", False),  # 0.18
        ("AAABABABABBB", True),  # 0.32
        ("AAAAAABBBBBB", True),  # 0.55
    ],
)
def test_the_distance_of_two_cells(order: str, apart: bool) -> None:
    """A is the baseline; nothing departs from the plan, which is in this order itself."""
    two = honest_run().with_cells(
        lambda cell: cell.id not in (cell_id(GCC), SNAKE), unsupported="not here"
    )
    waiting = {
        letter: [one for one in two.plan.executions if one.cell == name]
        for letter, name in (("A", cell_id(GCC)), ("B", SNAKE))
    }
    planned = [waiting[letter].pop(0) for letter in order]
    stamps = {one.id: CREATED_NS + rank * SECOND for rank, one in enumerate(planned)}
    executions = tuple(
        started(record, stamps[record.planned])
        for record in two.executions
        if record.planned in stamps
    )
    run = replace(two.with_plan(executions=planned), executions=executions)
    assert [finding.cell for finding in check(run.evidence())] == ([SNAKE] if apart else [])


def test_one_that_is_missing_displaces_nobody() -> None:
    (finding,) = check(lost(honest_run()).evidence())
    assert finding.text == (
        "the run is incomplete, because 1 executions are missing from blocks "
        "(groups of executions) that had begun"
    )


def test_a_block_that_was_never_begun_lacks_nothing() -> None:
    run = honest_run()
    begun = tuple(record for record in run.executions if record.block != EXECUTIONS // 2)
    assert len(begun) < len(run.executions)
    assert list(check(replace(run, executions=begun).evidence())) == []


def test_the_distance_is_told_as_a_share_of_the_run() -> None:
    """Six and six: the means are six places apart, the first and the last eleven."""
    two = honest_run().with_cells(
        lambda cell: cell.id not in (cell_id(GCC), SNAKE), unsupported="not here"
    )
    (finding,) = check(one_after_the_other(two).evidence())
    assert finding.values == {"distance": pytest.approx(6 / 11)}
