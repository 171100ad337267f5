"""Tests that a program whose tasks are threads fails if the system allows no further thread (the
threads that already run wait for the missing one), and that a pool has the threads that it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Given, built
from runfair.building.launch import launch_options
from runfair.catalogue.benchmark import STANDARD, benchmarks

# The stacks of far fewer threads fit into this address space. (A JVM reserves more for its heap.)
ADDRESS_SPACE_BYTES = 400 * 2**20
# Stacks and the heap share the address space, so a small allocation of the program or of glibc may
# be the first to fail.
REASONS = (
    "thread",
    "Resource temporarily unavailable",
    "memory allocation of",
    "Fatal glibc error: failed to register TLS destructor: out of memory",
)
# Threads that wait for each other, and the workload.
WAITING: dict[str, tuple[str, Given]] = {
    "contended-lock": ("short", {"tasks": 1000}),
    "fairness": ("spinners", {"tasks": 1000}),
    "memory-per-task": ("waiting", {"tasks": 1000}),
    "pipeline": ("bounded", {"stages": 1000}),
    "select": ("pipes", {"channels": 400}),
    "wake-up": ("ring", {"tasks": 1000}),
}

PROGRAMS = [
    (name, program.language)
    for name, (workload, _) in WAITING.items()
    for program in benchmarks()[name].programs
    if program.tier == STANDARD and program.language in ("c++", "python", "rust")
    if program.has(workload)
]


POOLS = [
    (name, program.language, program.tier)
    for name, benchmark in benchmarks().items()
    if benchmark.text.suite == "concurrency"
    for program in benchmark.programs
    if program.tier in ("asio", "coroutines", "tokio", "virtual")
]


@pytest.mark.parametrize(("benchmark", "language", "tier"), POOLS)
def test_the_pool_has_as_many_threads_as_were_asked_for(
    benchmark: str, language: str, tier: str, tmp_path: Path
) -> None:
    workload = next(iter(benchmarks()[benchmark].text.workloads))
    said = built(benchmark, language, tier).say(workload=workload, threads=3, samples=tmp_path)
    assert said.start["threads"] == 3


# The runtime has a pool of threads before the program starts, which no option can change.
SCHEDULED = [
    (name, program.language)
    for name, benchmark in benchmarks().items()
    if benchmark.text.suite == "concurrency"
    for program in benchmark.programs
    if program.language in ("erlang", "go")
]


@pytest.mark.parametrize(("benchmark", "language"), SCHEDULED)
def test_the_start_says_how_many_threads_the_scheduler_has(
    benchmark: str, language: str, tmp_path: Path
) -> None:
    program = built(benchmark, language)
    arguments, environment = launch_options(program.variant, processors=3)
    (executable, *rest), before = program.timed.command, program.timed.environment
    command = [executable, *arguments, *rest]
    update = {"command": command, "environment": {**before, **environment}}
    workload = next(
        one for one in benchmarks()[benchmark].text.workloads if program.source.has(one)
    )
    options = program.options(workload=workload, threads=2, samples=tmp_path)
    outcome = program.run_with(*options, artefact=program.timed.model_copy(update=update))
    assert outcome.start["threads"] == 3


@pytest.mark.parametrize(("benchmark", "language"), PROGRAMS)
def test_a_program_ends_if_a_thread_cannot_be_started(
    benchmark: str, language: str, tmp_path: Path
) -> None:
    workload, work = WAITING[benchmark]
    program = built(benchmark, language)
    limit = ["prlimit", f"--as={ADDRESS_SPACE_BYTES}", "--"]
    limited = program.timed.model_copy(update={"command": [*limit, *program.timed.command]})
    options = program.options(workload=workload, samples=tmp_path, **work)
    outcome = program.run_with(*options, artefact=limited)
    assert outcome.status not in (0, 2)
    assert [event["event"] for event in outcome.events] == ["start"]
    assert any(reason in outcome.errors for reason in REASONS), outcome.errors


# Tasks that start tasks, each of which waits for the next: a chain of 21.
TREES = [
    (name, program.language)
    for name in ("cancellation", "fan-out")
    for program in benchmarks()[name].programs
    if program.tier == STANDARD and program.language in ("c++", "java", "python", "rust")
]
STACK_BYTES = 2**29
FEWER_STACKS = f"--as={16 * STACK_BYTES}"


@pytest.mark.parametrize(("benchmark", "language"), TREES)
def test_a_program_ends_if_a_task_cannot_start_another(
    benchmark: str, language: str, tmp_path: Path
) -> None:
    program = built(benchmark, language)
    (executable, *rest), before = program.timed.command, program.timed.environment
    if language == "java":
        # The virtual machine writes its own warnings to standard output.
        rest = [f"-Xss{STACK_BYTES}", "-Xmx64m", "-Xlog:disable", *rest]
    command = ["prlimit", FEWER_STACKS, f"--stack={STACK_BYTES}", "--", executable, *rest]
    environment = {**before, "RUST_MIN_STACK": str(STACK_BYTES)}
    limited = program.timed.model_copy(update={"command": command, "environment": environment})
    options = program.options(degree=1, depth=20, samples=tmp_path)
    outcome = program.run_with(*options, artefact=limited)
    assert outcome.status not in (0, 2)
    assert outcome.of_event("iteration") == []
    assert any(reason in outcome.errors for reason in REASONS), outcome.errors
