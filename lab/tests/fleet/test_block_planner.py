"""Blocks are given to hosts whole, lost ones again, and soon enough for a thousand hosts."""

from __future__ import annotations

import time

import pytest

from evidence.honest_run import honest_run
from runfair.fleet.block_planner import BlockPlanner, Portion, portions
from runfair.formats.plan import PlannedExecution, Role


def single(number: int, cell: str, role: Role = "block", block: int = 1) -> PlannedExecution:
    return PlannedExecution(id=f"{number:06d}", cell=cell, role=role, block=block, position=0)


def test_a_portion_is_a_whole_block_of_one_comparison() -> None:
    plan = honest_run().plan
    groups = {cell.id: cell.group for cell in plan.cells}
    found = portions(plan, [])
    assert [one for each in found for one in each.executions] != []
    assert sum(len(each.executions) for each in found) == len(plan.executions)
    keys = [
        (one.block, groups[one.cell])
        for each in found
        for one in {(x.block, groups[x.cell]): x for x in each.executions}.values()
        if one.role == "block"
    ]
    assert len(keys) == len(set(keys))


def test_a_block_that_was_begun_is_given_out_whole() -> None:
    run = honest_run()
    block = next(one for one in portions(run.plan, []) if len(one.executions) > 1)
    names = [one.id for one in block.executions]
    done = [record for record in run.executions if record.planned != names[-1]]
    (left,) = portions(run.plan, done)
    assert [one.id for one in left.executions] == names


def test_steady_blocks_wait_for_the_pilots_of_their_cells() -> None:
    pilot, waits = Portion((single(1, "a", "pilot"),)), Portion((single(2, "a"),))
    other = Portion((single(3, "b"),))
    planner = BlockPlanner.of([waits, other, pilot])
    assert planner.next_for("h1") is pilot
    assert planner.next_for("h2") is other
    assert planner.next_for("h3") is None
    planner.ended("h1")
    assert planner.next_for("h3") is waits
    planner.ended("h2")
    assert not planner.finished
    planner.ended("h3")
    assert planner.finished


def test_a_lost_block_is_the_next_one_for_another_host() -> None:
    first, second = Portion((single(1, "a"),)), Portion((single(2, "b"),))
    planner = BlockPlanner.of([first, second])
    assert planner.next_for("h1") is first
    with pytest.raises(ValueError, match="still carries out another portion"):
        planner.next_for("h1")
    assert planner.lost("h1") == 1
    assert planner.next_for("h2") is first
    assert planner.lost("h2") == 2


def test_a_thousand_hosts_take_all_blocks_once() -> None:
    """100,000 executions in blocks of four; each host asks again when its block has ended."""
    left = [
        Portion(tuple(single(4 * n + k, f"c{n % 500}-{k}", block=n) for k in range(4)))
        for n in range(25_000)
    ]
    planner = BlockPlanner.of(left)
    taken: list[Portion] = []
    calls, spent_ns = 0, 0
    while not planner.finished:
        for number in range(1000):
            began_ns = time.process_time_ns()
            portion = planner.next_for(f"h{number}")
            spent_ns += time.process_time_ns() - began_ns
            calls += 1
            if portion is not None:
                taken.append(portion)
        for host in list(planner.out):
            planner.ended(host)
    assert taken == left
    # The mean, in CPU time: 50 ms are promised, and it takes microseconds.
    assert spent_ns / calls < 50_000_000
