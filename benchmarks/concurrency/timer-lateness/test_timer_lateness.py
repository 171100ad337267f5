"""Tests every program against contract.md, from outside: the results and counts of its computing
tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.catalogue.benchmark import benchmarks
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["timer-lateness"].programs]


def burnt(seed: int, rounds: int) -> int:
    random = SplitMix64(seed)
    x = 0
    for _ in range(rounds):
        x ^= random.next()
    return x


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("burners", "rounds", "seed"), [(1, 1, 0), (3, 1000, MASK), (200, 2, 2**63 - 1)]
)
def test_burning_is_the_contracts(
    language: str, tier: str, burners: int, rounds: int, seed: int, tmp_path: Path
) -> None:
    program = built("timer-lateness", language, tier)
    work: Given = {"samples": tmp_path, "burners": burners, "rounds": rounds, "seed": seed}
    counted = program.say(count=1, threads=2, **work)
    assert counted.counters == {"rounds": burners * rounds, "burners": burners}
    xs = [burnt((seed + burner) & MASK, rounds) for burner in range(burners)]
    digest = fnv1a("".join(f"{x:016x}\n" for x in xs).encode())
    assert counted.digest == program.say(**work).digest == digest
