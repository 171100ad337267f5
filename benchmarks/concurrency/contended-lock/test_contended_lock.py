"""Tests every program against contract.md, from outside: the sum that is computed under its
lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

LOCKING = benchmarks()["contended-lock"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in LOCKING.programs
    for workload in LOCKING.text.workloads
    if one.has(workload)
]


def drawn(state: int, numbers: int) -> int:
    random = SplitMix64(state & MASK)
    return sum(random.next() for _ in range(numbers))


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "rounds", "seed"), [pytest.param(1, 1, 0, marks=pytest.mark.long), (8, 300, MASK)]
)
def test_every_round_adds_under_the_lock(
    language: str, tier: str, workload: str, tasks: int, rounds: int, seed: int, tmp_path: Path
) -> None:
    program = built("contended-lock", language, tier)
    work: Given = {"workload": workload, "tasks": tasks, "rounds": rounds, "seed": seed}
    counted = program.say(count=1, threads=2, samples=tmp_path, **work)
    assert counted.counters == {"locks": tasks * rounds}
    total = drawn(seed, tasks * rounds) + sum(drawn(seed + 1 + i, rounds) for i in range(tasks))
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == fnv1a(b"%016x\n" % (total & MASK))
    (iteration,) = timed.of_event("iteration")
    assert sum(iteration["samples"]["wait"][1::2]) == tasks * rounds
    assert sum(iteration["samples"]["locks"][1::2]) == 1
