"""Tests every program against contract.md, from outside: the results and counts of its tasks."""

from __future__ import annotations

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["parallel-efficiency"].programs]
PROCESSES = ("python", "multiprocessing")
# The tests of processes try the greatest number.
FEW_PROCESSES = 8


def computed(seed: int, rounds: int) -> int:
    random = SplitMix64(seed)
    x = 0
    for _ in range(rounds):
        x ^= random.next()
    return x


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "rounds", "seed"),
    [
        pytest.param(1, 1, 0, marks=pytest.mark.long),
        (200, 2, MASK),
        pytest.param(3, 1000, 2**63 - 1, marks=pytest.mark.long),
    ],
)
def test_every_task_computes_what_the_contract_says(
    language: str, tier: str, tasks: int, rounds: int, seed: int
) -> None:
    if (language, tier) == PROCESSES:
        tasks = min(tasks, FEW_PROCESSES)
    program = built("parallel-efficiency", language, tier)
    work: Given = {"tasks": tasks, "rounds": rounds, "seed": seed, "threads": 2}
    counted = program.say(count=1, **work)
    assert counted.counters == {"rounds": tasks * rounds, "tasks": tasks}
    xs = [computed((seed + task) & MASK, rounds) for task in range(tasks)]
    digest = fnv1a("".join(f"{x:016x}\n" for x in xs).encode())
    assert counted.digest == program.say(iterations=3, **work).digest == digest
