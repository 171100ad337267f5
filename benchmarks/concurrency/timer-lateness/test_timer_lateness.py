"""Tests every program against contract.md, from outside: the results and counts of its computing
tasks, how often they yield, and the samples of its timers."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["timer-lateness"].programs]

# A tier with processes as tasks has few of them.
PROCESSES = "multiprocessing"
MOST_PROCESSES = 64
WORKS = [(1, 1, 0), (200, 2, MASK), (3, 1000, 2**63 - 1)]
WORKS_OF_PROCESSES = [(1, 1, 0), (MOST_PROCESSES - 1, 2, MASK), (3, 1000, 2**63 - 1)]
# The ordinary check tries many tasks; `verify` tries a middling number of tasks.
ORDINARY = (WORKS[1], WORKS_OF_PROCESSES[1])
BURNING = [
    pytest.param(*program, *work, marks=() if work in ORDINARY else pytest.mark.long)
    for program in PROGRAMS
    for work in (WORKS_OF_PROCESSES if program[1] == PROCESSES else WORKS)
]

NONE = {"rounds": 0, "burners": 0, "yields": 0, "timers": 0}


def burnt(seed: int, rounds: int) -> int:
    random = SplitMix64(seed)
    x = 0
    for _ in range(rounds):
        x ^= random.next()
    return x


def digest_of(burners: int, rounds: int, seed: int) -> str:
    xs = [burnt((seed + burner) & MASK, rounds) for burner in range(burners)]
    return fnv1a("".join(f"{x:016x}\n" for x in xs).encode())


@pytest.mark.parametrize(("language", "tier", "burners", "rounds", "seed"), BURNING)
def test_burning_is_the_contracts(
    language: str, tier: str, burners: int, rounds: int, seed: int, tmp_path: Path
) -> None:
    program = built("timer-lateness", language, tier)
    work: Given = {"samples": tmp_path, "burners": burners, "rounds": rounds, "seed": seed}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {**NONE, "rounds": burners * rounds, "burners": burners}
    assert counted.digest == program.say(**work).digest == digest_of(burners, rounds, seed)


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
def test_a_burner_yields_each_time_it_has_drawn_enough_numbers(
    language: str, tier: str, tmp_path: Path
) -> None:
    program = built("timer-lateness", language, tier)
    work: Given = {"burners": 2, "rounds": 10, "yield_rounds": 3, "samples": tmp_path}
    counted = program.say(count=1, threads=2, workload="yielding", **work)
    assert counted.counters == {**NONE, "rounds": 20, "burners": 2, "yields": 6}
    assert counted.digest == digest_of(2, 10, 1)


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
def test_every_timer_fires_once(language: str, tier: str, tmp_path: Path) -> None:
    program = built("timer-lateness", language, tier)
    work: Given = {"burners": 3, "rounds": 5, "timers": 30, "samples": tmp_path}
    counted = program.say(count=1, threads=2, workload="one-shot", **work)
    assert counted.counters == {**NONE, "rounds": 15, "burners": 3, "timers": 30}
    assert counted.digest == digest_of(3, 5, 1)
    for iteration in counted.of_event("iteration"):
        assert sum(iteration["samples"]["lateness"][1::2]) == 30


def test_more_processes_than_the_ceiling_are_refused(tmp_path: Path) -> None:
    program = built("timer-lateness", "python", PROCESSES)
    refused = program.run(burners=64, samples=tmp_path)
    refused.check_refused("burners=64 are too many processes; ask for 63 at most")
    refused = program.run(workload="one-shot", burners=34, timers=31, samples=tmp_path)
    message = "burners=34 and timers=31 are too many processes; ask for 64 at most"
    refused.check_refused(message)
