"""Tests every program against contract.md, from outside: the sum over its tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["memory-per-task"].programs]


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(("tasks", "seed"), [(1, 0), (300, MASK)])
def test_every_task_adds_what_the_contract_says(
    language: str, tier: str, tasks: int, seed: int, tmp_path: Path
) -> None:
    program = built("memory-per-task", language, tier)
    work: Given = {"tasks": tasks, "seed": seed, "samples": tmp_path}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {"tasks": tasks}
    total = sum(SplitMix64((seed + task) & MASK).next() for task in range(tasks)) & MASK
    timed = program.say(**work)
    assert counted.digest == timed.digest == fnv1a(b"%016x\n" % total)
    (iteration,) = timed.of_event("iteration")
    (_, samples) = iteration["samples"]["bytes"]
    assert samples == 1
