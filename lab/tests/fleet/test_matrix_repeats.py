"""Blocks that other processes disturbed are repeated, by all free hosts at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from fleet.fleet_runs import BLOCKS, PLAN, Fleet, carried_out
from runfair.formats.plan import PlannedExecution
from runfair.formats.run_folder import RunFolder


def repeat_of(block: int) -> list[PlannedExecution]:
    return [
        one.model_copy(update={"repeat": 1})
        for one in PLAN.executions
        if one.role == "block" and one.block == block
    ]


def test_disturbed_blocks_are_repeated_last(fleet: Callable[..., Fleet]) -> None:
    block = repeat_of(1)
    repeats = [block]
    run = fleet(carried_out, "host1", "host2")
    run.next_repeat = lambda _: repeats.pop() if repeats else []
    run.carry_out()
    last = run.folder.attempts()[-len(block) :]
    assert [(one.planned, one.attempt, one.repeat) for one in last] == [
        (one.id, 2, 1) for one in block
    ]


def test_all_free_hosts_repeat_disturbed_blocks_at_the_same_time(
    fleet: Callable[..., Fleet],
) -> None:
    both = threading.Barrier(2)
    repeats = {block: repeat_of(block) for block in sorted(BLOCKS)[:2]}
    asked: list[set[str]] = []

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if folder.plan().executions[0].repeat:
            try:
                both.wait(60)
            except threading.BrokenBarrierError:
                return 1, "the other host has no repeat"
        return carried_out(name, folder)

    def next_repeat(under_way: Collection[str]) -> list[PlannedExecution]:
        asked.append({*under_way})
        return repeats.popitem()[1] if repeats else []

    run = fleet(work, "host1", "host2")
    run.next_repeat = next_repeat
    run.carry_out()
    repeated = [one for one in run.folder.attempts() if one.repeat]
    assert {one.host for one in repeated} == {"host1", "host2"}
    first, second = sorted(BLOCKS)[:2]
    assert asked[:2] == [set(), {one.id for one in repeat_of(second)}]
    assert {one.planned for one in repeated} == {
        one.id for block in (first, second) for one in repeat_of(block)
    }


def test_a_repeat_that_a_host_lost_is_carried_out_by_another(fleet: Callable[..., Fleet]) -> None:
    repeats = [repeat_of(min(BLOCKS))]
    lost: list[str] = []

    def work(name: str, folder: RunFolder) -> tuple[int, str]:
        if folder.plan().executions[0].repeat and not lost:
            lost.append(name)
            run.hosts.lost.add(name)
            return 0, "srun: error: Node failure"
        return carried_out(name, folder)

    run = fleet(work, "host1", "host2")
    run.next_repeat = lambda _: repeats.pop() if repeats else []
    run.carry_out()
    repeated = [one for one in run.folder.attempts() if one.repeat]
    assert {one.planned for one in repeated} == {one.id for one in repeat_of(min(BLOCKS))}
    assert {one.host for one in repeated} == {"host1", "host2"} - {*lost}
