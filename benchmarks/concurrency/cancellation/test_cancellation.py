"""Tests every program against contract.md, from outside: all tasks of a tree see the
cancellation."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

TREES = [(3, 0, 1, 0), (1, 4, 5, MASK), (4, 3, 85, 2**63 - 1)]
# The ordinary check tries a tree without children and one without branches: `verify` runs the
# programs on a tree with both, and the tests of processes try the greatest number of processes.
ORDINARY = TREES[:2]
# A tier with processes as tasks has few of them.
PROCESSES = "multiprocessing"
TREES_OF_PROCESSES = [(3, 0, 1, 0), (1, 4, 5, MASK), (3, 3, 40, 2**63 - 1), (63, 1, 64, 7)]
PROGRAMS = [
    pytest.param(one.language, one.tier, *tree, marks=() if tree in ORDINARY else pytest.mark.long)
    for one in benchmarks()["cancellation"].programs
    for tree in (TREES_OF_PROCESSES if one.tier == PROCESSES else TREES)
]


@pytest.mark.parametrize(("language", "tier", "degree", "depth", "tasks", "seed"), PROGRAMS)
def test_every_task_of_the_tree_is_cancelled(
    language: str, tier: str, degree: int, depth: int, tasks: int, seed: int, tmp_path: Path
) -> None:
    program = built("cancellation", language, tier)
    work: Given = {"degree": degree, "depth": depth, "seed": seed, "samples": tmp_path}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {"tasks": tasks}
    total = sum(SplitMix64((seed + task) & MASK).next() for task in range(tasks)) & MASK
    timed = program.say(**work)
    assert counted.digest == timed.digest == fnv1a(b"%016x\n" % total)
    (iteration,) = timed.of_event("iteration")
    assert sum(iteration["samples"]["latency"][1::2]) == tasks
