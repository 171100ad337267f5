"""Tests every program against contract.md, from outside: every call blocks and is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["blocking"].programs]


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "pause_ms", "seed"),
    [
        (5, 40, MASK),
        pytest.param(1, 200, 0, marks=pytest.mark.long),
        pytest.param(50, 1, MASK, marks=pytest.mark.long),
    ],
)
def test_every_task_blocks_and_adds_its_number(
    language: str, tier: str, tasks: int, pause_ms: int, seed: int, tmp_path: Path
) -> None:
    program = built("blocking", language, tier)
    work: Given = {"tasks": tasks, "pause_ms": pause_ms, "seed": seed, "samples": tmp_path}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {"calls": tasks}
    total = sum(SplitMix64((seed + task) & MASK).next() for task in range(tasks)) & MASK
    timed = program.say(**work)
    assert counted.digest == timed.digest == fnv1a(b"%016x\n" % total)
    (iteration,) = timed.of_event("iteration")
    assert sum(iteration["samples"]["lateness"][1::2]) == tasks
    assert iteration["wall_ns"] >= 0.9e6 * pause_ms
