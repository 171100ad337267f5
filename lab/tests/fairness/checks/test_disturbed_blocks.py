"""A burner in the middle of a run is found, its block repeated, and it is named; a program that
causes kernel work by itself is not called disturbed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evidence.honest_run import GCC, JAVA, PYTHON, cell_id, honest_run
from evidence.records import MILLISECOND, Records, reading
from fairness.stories import SMALL, Story
from result.test_run import result_of
from runfair.evidence.blocks import Blocks, Repeats
from runfair.fairness.checks.disturbed_blocks import check
from runfair.formats.execution import Execution
from runfair.formats.host import BusyProgram
from runfair.report.table import tables

BLOCK = 2
COLD = cell_id(GCC, mode="cold")
OTHERS = frozenset({"foreign_time"})


def losing(record: Execution, **shares: float) -> Execution:
    """Parts of an execution's wall time that others took, by the launch report's names."""
    wall_ns = record.launch.wall_ns
    update = {name: round(share * wall_ns) for name, share in shares.items()}
    return record.model_copy(update={"launch": record.launch.model_copy(update=update)})


def hit(one: Execution) -> bool:
    return one.cell == SMALL and one.block == BLOCK


def burned(run: Records, share: float = 0.5, name: str = "foreign_ns") -> Records:
    """Others take a share of the processor in the middle block; the block takes longer."""

    def burn(one: Execution) -> Execution:
        longer = one.launch.model_copy(update={"wall_ns": round(one.launch.wall_ns / (1 - share))})
        taken = (
            {"foreign_ns": share, "run_queue_ns": share} if name == "foreign_ns" else {name: share}
        )
        return losing(one.model_copy(update={"launch": longer}), **taken)

    executions = tuple(burn(one) if hit(one) else one for one in run.executions)
    slow = {one.id for one in executions if hit(one)}
    burner = [BusyProgram(name="burner", share=share)]
    readings = tuple(
        one.model_copy(update={"busy": burner}) if one.after in slow else one
        for one in run.readings
    )
    series = {
        name: (own[0] * 2, own[1]) if name in slow else own for name, own in run.series.items()
    }
    return replace(run, executions=executions, readings=readings, series=series)


def blocks_of(run: Records) -> Blocks:
    evidence = run.evidence()
    assert evidence.blocks is not None
    return evidence.blocks


def repeated(
    run: Records, change: Callable[[Execution], Execution] = lambda one: one, leave: int = 0
) -> Records:
    """With the next block repeated, as the honest run had it, but for the last ones left out."""
    honest = {one.planned: one for one in honest_run().executions}
    planned = Repeats(blocks_of(run)).next_block()
    assert planned
    again = [
        change(
            honest[one.id].model_copy(
                update={"id": f"{one.id}.{one.repeat + 1}", "repeat": one.repeat}
            )
        )
        for one in planned[: len(planned) - leave]
    ]
    series = {one.id: honest_run().series[f"{one.planned}.1"] for one in again}
    return replace(run, executions=(*run.executions, *again), series={**run.series, **series})


STORIES = (
    Story("a burner in the middle", burned, "warning", also=OTHERS),
    Story(
        "a burner in the middle, and its block repeated",
        lambda run: repeated(burned(run)),
        "limitation",
    ),
    Story(
        "a little burner in the middle", lambda run: burned(run, 0.03), "limitation", also=OTHERS
    ),
    Story(
        "steal in the middle",
        lambda run: burned(run, name="steal_ns"),
        "warning",
        also=OTHERS,
    ),
    Story(
        "kernel work of the program's own, in every execution",
        lambda run: run.with_executions(SMALL, lambda one: losing(one, run_queue_ns=0.009)),
        None,
    ),
    Story(
        "kernel work of the program's own that varies",
        lambda run: run.with_executions(
            SMALL, lambda one: losing(one, run_queue_ns=0.004 + 0.006 * (one.block % 2))
        ),
        None,
    ),
)


def test_much_kernel_work_of_ones_own_is_no_disturbance() -> None:
    """A tenth of the processor in each execution: `foreign_time` doubts it, no block is worse."""
    run = honest_run().with_executions(
        SMALL, lambda one: losing(one, run_queue_ns=0.08 + 0.03 * one.block)
    )
    assert list(check(run.evidence())) == []
    assert Repeats(blocks_of(run)).next_block() == []


def changed_where_hit(run: Records, cell: str, **shares: float) -> Records:
    return run.with_executions(
        cell, lambda one: losing(one, **shares) if one.block == BLOCK else one
    )


@pytest.mark.parametrize(
    ("cell", "shares", "repeated"),
    [
        # Somebody took half of its processor, and it never waited: it slept meanwhile.
        (SMALL, {"foreign_ns": 0.5}, False),
        (SMALL, {"run_queue_ns": 0.03}, True),
        # A JVM's threads wait for each other: for it, the others' time decides.
        (cell_id(JAVA), {"run_queue_ns": 0.5}, False),
        (cell_id(JAVA), {"foreign_ns": 0.5}, True),
    ],
)
def test_a_known_run_queue_decides(cell: str, shares: dict[str, float], repeated: bool) -> None:
    run = changed_where_hit(honest_run(), cell, **shares)
    assert bool(Repeats(blocks_of(run)).next_block()) is repeated


def test_without_a_run_queue_the_others_time_decides() -> None:
    run = changed_where_hit(honest_run(), SMALL, foreign_ns=0.5).with_launches(
        SMALL, run_queue_ns=None
    )
    assert Repeats(blocks_of(run)).next_block() != []


def test_a_delay_is_known_more_finely_than_ticks() -> None:
    """An execution of 5 ms that waited for 1 ms, while no tick was counted as stolen."""
    short = {"wall_ns": 5 * MILLISECOND, "run_queue_ns": 0, "steal_ns": 0}
    run = honest_run().with_launches(COLD, **short)
    assert Repeats(blocks_of(run)).next_block() == []
    assert Repeats(blocks_of(changed_where_hit(run, COLD, run_queue_ns=0.2))).next_block() != []


def test_the_disturbed_block_is_repeated_whole_and_no_other() -> None:
    run = burned(honest_run())
    group = next(cell.group for cell in run.plan.cells if cell.id == SMALL)
    cells = {cell.id for cell in run.plan.cells if cell.group == group}
    planned = Repeats(blocks_of(run)).next_block()
    expected = [one.id for one in run.plan.executions if one.block == BLOCK and one.cell in cells]
    assert [one.id for one in planned] == expected
    assert {one.repeat for one in planned} == {1}
    assert Repeats(blocks_of(repeated(run))).next_block() == []
    assert Repeats(blocks_of(honest_run())).next_block() == []


def test_the_burner_is_named_and_what_came_of_it_said() -> None:
    run = burned(honest_run())
    found = [one for one in check(run.evidence()) if one.cell == SMALL]
    assert [one.text for one in found] == [
        "block 2 (a group of executions) was disturbed, because gcc-12.2.0+o3 had to wait for "
        "a processor during 50% of its wall time (busy processes: burner); the block was not "
        "repeated"
    ]
    (found_then,) = [one for one in check(repeated(run).evidence()) if one.cell == SMALL]
    assert found_then.text.endswith(
        "repeated once, and runfair uses the first attempt without a disturbance"
    )
    assert found_then.values == {"repeats": 1}


def test_figures_with_and_without_repeats_are_both_there() -> None:
    disturbed, honest = burned(honest_run()), result_of(honest_run())
    before, after = result_of(disturbed), result_of(repeated(disturbed))

    def wall(result: Any, cell: str = SMALL) -> Any:
        return next(one for one in result.cells if one.id == cell).figures["wall"]

    assert wall(after).value == pytest.approx(wall(honest).value)
    assert wall(after).verdict == "fair"
    assert wall(after).without_repeats.value == pytest.approx(wall(before).value)
    assert wall(after).without_repeats.interval == wall(before).interval
    assert wall(before).value > 1.2 * wall(honest).value
    assert wall(before).without_repeats is None
    assert wall(after, cell_id(GCC, "large")).without_repeats is None
    # The whole block was repeated: of cells that nobody disturbed too.
    assert wall(after, cell_id(PYTHON)).without_repeats is not None
    (table,) = [one for one in tables(after) if one.title == "with and without repeated blocks"]
    assert {row.cells[0] for row in table.rows} >= {SMALL, cell_id(PYTHON)}
    assert "never the measured values" in table.notes[0]
    assert not [one for one in tables(before) if one.title == "with and without repeated blocks"]


def test_a_block_that_is_disturbed_again_is_repeated_twice_and_no_more() -> None:
    def burn(share: float) -> Callable[[Execution], Execution]:
        return lambda one: losing(one, run_queue_ns=share) if hit(one) else one

    run = repeated(repeated(burned(honest_run()), burn(0.2)), burn(0.3))
    blocks = blocks_of(run)
    assert Repeats(blocks).next_block() == []
    counting = [one for one in blocks.counting_records if hit(one)]
    assert {one.repeat for one in counting} == {1}
    (found,) = [one for one in check(run.evidence()) if one.cell == SMALL]
    assert found.text.endswith(
        "disturbed each time, so runfair uses the attempt that lost the least processor time to "
        "other processes"
    )
    assert len(run.executions) == len(honest_run().executions) + 16


def test_a_repeat_that_was_interrupted_counts_for_nothing() -> None:
    run = repeated(burned(honest_run()), leave=1)
    blocks = blocks_of(run)
    assert {one.repeat for one in blocks.counting_records} == {0}
    assert {one.repeat for one in Repeats(blocks).next_block()} == {1}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"ambient_throttled_ns": 1},
            "gcc-12.2.0+o3 was slowed by a CPU quota that the experiment does not state",
        ),
        (
            {"throttled_periods": 1},
            "gcc-12.2.0+o3 was slowed by a CPU quota that the experiment does not state",
        ),
    ],
)
def test_throttling_disturbs(changes: dict[str, int], reason: str) -> None:
    def throttle(one: Execution) -> Execution:
        return one.model_copy(update={"launch": one.launch.model_copy(update=changes)})

    run = honest_run()
    run = replace(
        run, executions=tuple(throttle(one) if hit(one) else one for one in run.executions)
    )
    (found,) = [one for one in check(run.evidence()) if one.cell == SMALL]
    assert found.text == (
        f"block 2 (a group of executions) was disturbed, because {reason}; the block was not "
        "repeated"
    )


def test_what_is_throttled_all_along_makes_no_block_special() -> None:
    run = honest_run().with_launches(SMALL, 3, ambient_throttled_ns=1)
    assert list(check(run.evidence())) == []
    run = honest_run().with_launches(SMALL, 2, ambient_throttled_ns=1)
    assert list(check(run.evidence())) != []


@pytest.mark.parametrize(("slower", "found"), [(1.05, 0), (1.25, 1)])
def test_a_slower_reference_disturbs(slower: float, found: int) -> None:
    run = honest_run()
    group = next(cell.group for cell in run.plan.cells if cell.id == SMALL)
    cells = {cell.id for cell in run.plan.cells if cell.group == group}
    readings = [
        reading("memory", one, slower if one.block == BLOCK and one.cell in cells else 1.0)
        for one in run.executions
    ]
    told = [
        one for one in check(replace(run, readings=tuple(readings)).evidence()) if one.cell == SMALL
    ]
    assert len(told) == found
    if told:
        assert "reference loop of constant work (memory) took 25% longer" in told[0].text


def test_the_figure_itself_is_never_looked_at() -> None:
    """A block three times as slow as the others, of which the kernel tells nothing."""
    run = honest_run()
    slow = {one.id for one in run.executions if hit(one)}
    series = {
        name: (own[0] * 3, own[1] * 3) if name in slow else own for name, own in run.series.items()
    }
    assert Repeats(blocks_of(replace(run, series=series))).next_block() == []


def test_a_smoke_run_repeats_nothing() -> None:
    run = burned(honest_run())
    assert Repeats(blocks_of(run.with_plan(profile="smoke"))).next_block() == []
    assert Repeats(blocks_of(run)).next_block() != []
