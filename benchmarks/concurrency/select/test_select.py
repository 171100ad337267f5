"""Tests every program against contract.md, from outside: the values that it receives from all
channels."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import STANDARD, benchmarks
from transcription import MASK, fnv1a

SELECT = benchmarks()["select"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in SELECT.programs
    for workload in SELECT.text.workloads
    if one.has(workload)
]
PROCESSES = ("python", "multiprocessing")
# The greatest number of ready pipes that a call may return.
MOST_READY = re.compile(r"epoll_p?wait\(.*, (\d+), -?\d+(?:, .*)?\) += ")
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


@pytest.mark.parametrize(
    "language",
    [language for language, tier, workload in PROGRAMS if (tier, workload) == (STANDARD, "pipes")],
)
def test_a_selection_among_pipes_may_return_several_ready_pipes(
    language: str, tmp_path: Path
) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace here: apt-get install strace")
    program = built("select", language)
    trace = tmp_path / "trace"
    watched = [strace, "-f", "-e", "trace=epoll_wait,epoll_pwait", "-o", str(trace)]
    artefact = program.timed.model_copy(update={"command": [*watched, *program.timed.command]})
    options = program.options(workload="pipes", channels=8, values=20, samples=tmp_path)
    assert program.run_with(*options, artefact=artefact).status == 0
    most = [int(number) for number in MOST_READY.findall(trace.read_text(errors="replace"))]
    assert most
    assert min(most) >= 8
