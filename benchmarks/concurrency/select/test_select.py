"""Tests every program against contract.md, from outside: the values that it receives from all
channels."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, fnv1a

SELECT = benchmarks()["select"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in SELECT.programs
    for workload in SELECT.text.workloads
    if one.has(workload)
]
PROCESSES = ("python", "multiprocessing")
# The tests of processes try the greatest number.
FEW_PROCESSES = 8


def summed(channels: int, values: int, seed: int) -> int:
    total = 0
    for channel in range(channels):
        x = seed + channel
        for _ in range(values):
            x = x * 1664525 + channel
            total += x
    return total % 2**32


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize(
    ("channels", "values", "seed"),
    [
        pytest.param(1, 1, 0, marks=pytest.mark.long),
        (70, 3, MASK),
        pytest.param(3, 500, 2**31 - 2, marks=pytest.mark.long),
    ],
)
def test_every_value_of_every_channel_is_received(
    language: str, tier: str, workload: str, channels: int, values: int, seed: int, tmp_path: Path
) -> None:
    if (language, tier) == PROCESSES:
        channels = min(channels, FEW_PROCESSES)
    program = built("select", language, tier)
    work: Given = {"workload": workload, "channels": channels, "values": values, "seed": seed}
    counted = program.say(count=1, threads=2, samples=tmp_path, **work)
    assert counted.counters == {"selects": channels * values}
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == fnv1a(b"%08x\n" % summed(channels, values, seed))
    (iteration,) = timed.of_event("iteration")
    (_, samples) = iteration["samples"]["selects"]
    assert samples == 1
