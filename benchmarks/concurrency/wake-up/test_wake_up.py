"""Tests every program against contract.md, from outside: what its ring computes and records."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["wake-up"].programs]


def computed(tasks: int, rounds: int, seed: int) -> int:
    x = seed
    for _ in range(rounds):
        for task in range(tasks):
            x = x * 1664525 + task
    return x % 2**32


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "rounds", "seed"),
    [(2, 300, MASK), pytest.param(20, 3, 2**31 - 2, marks=pytest.mark.long)],
)
def test_every_task_is_woken_in_its_turn(
    language: str, tier: str, tasks: int, rounds: int, seed: int, tmp_path: Path
) -> None:
    program = built("wake-up", language, tier)
    work: Given = {"tasks": tasks, "rounds": rounds, "seed": seed, "samples": tmp_path}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {"wakes": tasks * rounds}
    timed = program.say(**work)
    assert counted.digest == timed.digest == fnv1a(b"%08x\n" % computed(tasks, rounds, seed))
    (iteration,) = timed.of_event("iteration")
    assert sum(iteration["samples"]["latency"][1::2]) == tasks * rounds
