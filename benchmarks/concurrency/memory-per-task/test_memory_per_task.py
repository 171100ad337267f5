"""Tests every program against contract.md, from outside: the sum over its tasks."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from built_program import BuiltProgram, Given, built, finish
from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.formats.distribution import histogram
from transcription import MASK, SplitMix64, fnv1a

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["memory-per-task"].programs]
# The tiers whose tasks are so large that a program has few of them: what a task is, and how much
# memory it takes at least and at most.
MIB = 2**20
LARGE = {
    "multiprocessing": ("processes", 0.25 * MIB, 4 * MIB),
    "workers": ("workers", 1 * MIB, 64 * MIB),
}
MOST_LARGE, FEW_LARGE = 64, 8


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
@pytest.mark.parametrize(
    ("tasks", "seed"), [pytest.param(1, 0, marks=pytest.mark.long), (300, MASK)]
)
def test_every_task_adds_what_the_contract_says(
    language: str, tier: str, tasks: int, seed: int, tmp_path: Path
) -> None:
    tasks = min(tasks, FEW_LARGE) if tier in LARGE else tasks
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


@pytest.mark.parametrize(("language", "tier"), [one for one in PROGRAMS if one[1] in LARGE])
def test_more_large_tasks_than_the_ceiling_are_refused(
    language: str, tier: str, tmp_path: Path
) -> None:
    program = built("memory-per-task", language, tier)
    kind, _, _ = LARGE[tier]
    refused = program.run(tasks=MOST_LARGE + 1, samples=tmp_path)
    refused.check_refused(f"tasks=65 are too many {kind}; ask for 64 at most")


@pytest.mark.parametrize(("language", "tier"), [one for one in PROGRAMS if one[1] in LARGE])
@pytest.mark.parametrize("tasks", [pytest.param(FEW_LARGE, marks=pytest.mark.long), MOST_LARGE])
def test_the_memory_of_a_large_task_is_its_own(
    language: str, tier: str, tasks: int, tmp_path: Path
) -> None:
    program = built("memory-per-task", language, tier)
    (iteration,) = program.say(tasks=tasks, samples=tmp_path, threads=2).of_event("iteration")
    _, least, most = LARGE[tier]
    used = histogram([iteration["samples"]["bytes"]]).value_at(1)
    assert used is not None
    # Without the memory of the processes it would be almost nothing, and with pages that they share
    # it would be that of a whole interpreter.
    assert least < used < most


TASKS = 300
# The standard tasks of these languages are light; those of the others are threads.
LIGHT_LANGUAGES = ("erlang", "go", "javascript")
THREADS = [one for one in PROGRAMS if one[1] == STANDARD and one[0] not in LIGHT_LANGUAGES]
LIGHT = [one for one in PROGRAMS if one not in THREADS and one[1] not in LARGE]


@pytest.mark.parametrize(("language", "tier"), THREADS)
def test_every_task_has_a_thread(language: str, tier: str, tmp_path: Path) -> None:
    """On a busy machine, this process may not run while the tasks wait; then it looks again."""
    program = built("memory-per-task", language, tier)
    assert any(most_threads(program, tmp_path) >= TASKS for _ in range(10))


@pytest.mark.parametrize(("language", "tier"), LIGHT)
def test_light_tasks_share_threads(language: str, tier: str, tmp_path: Path) -> None:
    assert most_threads(built("memory-per-task", language, tier), tmp_path) < TASKS / 4


def most_threads(program: BuiltProgram, samples: Path) -> int:
    """The greatest number of threads that the kernel shows while the tasks wait, or TASKS if it is
    greater."""
    options = program.options(tasks=TASKS, iterations=20, threads=2, samples=samples)
    most = 0
    with program.start(*options) as process:
        while most < TASKS and process.poll() is None:
            most = max(most, threads_of(process))
        finish(process)
    assert process.returncode == 0
    return most


def threads_of(process: subprocess.Popen[bytes]) -> int:
    """`Threads` of /proc/PID/status; 0 if the process has ended."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Threads:"))
    return 0
