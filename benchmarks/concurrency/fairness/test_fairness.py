"""Tests every program against contract.md, from outside: the sum over its tasks, and the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["fairness"].programs]


def first(state: int) -> int:
    return SplitMix64(state & MASK).next()


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "turns", "seed"), [pytest.param(2, 1, 0, marks=pytest.mark.long), (5, 200, MASK)]
)
def test_every_task_and_turn_adds_its_number(
    language: str, tier: str, tasks: int, turns: int, seed: int, tmp_path: Path
) -> None:
    program = built("fairness", language, tier)
    work: Given = {"tasks": tasks, "turns": turns, "turn_us": 20, "seed": seed}
    counted = program.say(count=1, threads=2, samples=tmp_path, **work)
    assert counted.counters == {"tasks": tasks, "turns": turns}
    total = sum(first(seed + n) for n in range(tasks + turns)) & MASK
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == fnv1a(b"%016x\n" % total)
    (iteration,) = timed.of_event("iteration")
    (index, samples) = iteration["samples"]["index"]
    assert samples == 1
    # In the worst case one task has all turns. In the best case all tasks have equally many.
    assert 1000 // tasks <= index <= 1000
    if most_threads(language, tier) == 1:
        assert index == 1000 // tasks


def most_threads(language: str, tier: str) -> int | None:
    program = benchmarks()["fairness"].program(language, tier)
    assert program is not None
    return program.most_threads


@pytest.mark.parametrize("tasks", [64, 65])
def test_there_are_at_most_64_processes(tasks: int, tmp_path: Path) -> None:
    program = built("fairness", "python", "multiprocessing")
    outcome = program.run(tasks=tasks, turns=200, turn_us=20, samples=tmp_path)
    if tasks == 64:
        total = sum(first(1 + n) for n in range(tasks + 200)) & MASK
        assert outcome.digest == fnv1a(b"%016x\n" % total)
    else:
        outcome.check_refused("tasks=65 are too many processes; ask for 64 at most")
