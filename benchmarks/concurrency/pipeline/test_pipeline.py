"""Tests every program against contract.md, from outside: the values that its pipeline delivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, fnv1a

PIPELINE = benchmarks()["pipeline"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in PIPELINE.programs
    for workload in PIPELINE.text.workloads
    if one.has(workload)
]


def summed(stages: int, values: int, seed: int) -> int:
    total = 0
    for k in range(values):
        x = seed + k
        for stage in range(1, stages + 1):
            x = x * 1664525 + stage
        total = total * 31 + x
    return total % 2**32


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize(
    ("stages", "values", "seed"), [(1, 1, 0), (2, 1000, MASK), (20, 3, 2**31 - 2)]
)
def test_what_comes_out_is_the_contracts(
    language: str, tier: str, workload: str, stages: int, values: int, seed: int, tmp_path: Path
) -> None:
    program = built("pipeline", language, tier)
    work: Given = {"workload": workload, "stages": stages, "values": values, "seed": seed}
    counted = program.say(count=1, threads=2, samples=tmp_path, **work)
    assert counted.counters == {"hops": values * (stages + 1)}
    digest = fnv1a(b"%08x\n" % summed(stages, values, seed))
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == digest
    (iteration,) = timed.of_event("iteration")
    (_, samples) = iteration["samples"]["hops"]
    assert samples == 1
