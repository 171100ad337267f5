"""Tests every program against contract.md, from outside: the results and counts of its pieces of
work."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

SPAWN_OR_WORKER = benchmarks()["spawn-or-worker"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in SPAWN_OR_WORKER.programs
    for workload in SPAWN_OR_WORKER.text.workloads
    if one.has(workload)
]


def computed(seed: int, rounds: int) -> int:
    random = SplitMix64(seed)
    x = seed
    for _ in range(rounds):
        x ^= random.next()
    return x


def digest_of(tasks: int, rounds: int, seed: int) -> str:
    xs = [computed((seed + piece) & MASK, rounds) for piece in range(tasks)]
    return fnv1a("".join(f"{x:016x}\n" for x in xs).encode())


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "rounds", "seed"),
    [
        pytest.param(1, 1, 0, marks=pytest.mark.long),
        (129, 0, MASK),
        pytest.param(300, 20, 2**63 - 1, marks=pytest.mark.long),
    ],
)
def test_every_piece_is_the_contracts(
    language: str, tier: str, workload: str, tasks: int, rounds: int, seed: int, tmp_path: Path
) -> None:
    program = built("spawn-or-worker", language, tier)
    work: Given = {"workload": workload, "tasks": tasks, "rounds": rounds, "seed": seed}
    counted = program.say(count=1, threads=3, samples=tmp_path, **work)
    assert counted.counters == {"rounds": tasks * rounds, "tasks": tasks}
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == digest_of(tasks, rounds, seed)
    (iteration,) = timed.of_event("iteration")
    (_, samples) = iteration["samples"]["tasks"]
    assert samples == 1


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize("at_once", [pytest.param(1, marks=pytest.mark.long), 3])
def test_a_program_reads_how_many_pieces_may_be_under_way(
    language: str, tier: str, workload: str, at_once: int, tmp_path: Path
) -> None:
    work: Given = {"workload": workload, "tasks": 20, "rounds": 1, "seed": 1, "samples": tmp_path}
    program = built("spawn-or-worker", language, tier)
    said = program.say(count=1, at_once=at_once, **work)
    assert said.digest == digest_of(20, 1, 1)
    without = [one for one in program.options(**work) if not one.startswith("at_once=")]
    assert "at_once" in program.run_with(*without).errors
