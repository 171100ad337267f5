"""Tests that a program whose tasks are processes limits their number, ends with an error if a task
is killed, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from built_program import LIMIT_S, Given, built
from runfair.catalogue.benchmark import benchmarks

# CPU time in which a program that has all its tasks certainly returns from the last fork.
FORKED_S = 0.2
# Work that takes longer than a test, and its number of processes. The tasks of the other benchmarks
# end at once, as do timers that fire once.
LONG: dict[str, tuple[int, Given]] = {
    "parallel-efficiency": (4, {"tasks": 4, "rounds": 1_000_000_000}),
    "pipeline": (5, {"stages": 3, "values": 1_000_000_000}),
    "contended-lock": (4, {"tasks": 4, "rounds": 1_000_000_000}),
    "wake-up": (4, {"tasks": 4, "rounds": 1_000_000_000}),
    "select": (4, {"channels": 4, "values": 1_000_000_000}),
    "blocking": (4, {"tasks": 4, "pause_ms": 10_000}),
    "fairness": (4, {"tasks": 4, "turns": 1_000_000_000}),
    "spawn-or-worker": (4, {"tasks": 4, "rounds": 1_000_000_000, "threads": 4}),
    "timer-lateness": (4, {"burners": 3, "rounds": 1_000_000_000}),
}
# Options that ask for as many processes as are allowed, those that ask for one more, and what the
# message calls them. The tests of fairness, memory-per-task and timer-lateness try these limits
# themselves, and the program of spawn-or-worker limits its processes.
MOST: dict[str, tuple[Given, Given, str, int]] = {
    "parallel-efficiency": ({"tasks": 64}, {"tasks": 65}, "tasks=65", 64),
    "pipeline": ({"stages": 62}, {"stages": 63}, "stages=63", 62),
    "contended-lock": ({"tasks": 64}, {"tasks": 65}, "tasks=65", 64),
    "wake-up": ({"tasks": 64}, {"tasks": 65}, "tasks=65", 64),
    "select": ({"channels": 64}, {"channels": 65}, "channels=65", 64),
    "blocking": ({"tasks": 64}, {"tasks": 65}, "tasks=65", 64),
    "fan-out": (
        {"degree": 63, "depth": 1},
        {"degree": 64, "depth": 1},
        "65 tasks (degree=64 depth=1)",
        64,
    ),
    "cancellation": (
        {"degree": 63, "depth": 1},
        {"degree": 64, "depth": 1},
        "65 tasks (degree=64 depth=1)",
        64,
    ),
}


def programs(names: Iterable[str]) -> list[tuple[str, str]]:
    """The benchmarks and workloads that have a program whose tasks are processes."""
    return [
        (name, workload)
        for name in names
        for program in benchmarks()[name].programs
        if program.tier == "multiprocessing"
        for workload in benchmarks()[name].text.workloads
        if program.has(workload)
    ]


LASTING = [pair for pair in programs(LONG) if pair != ("timer-lateness", "one-shot")]


@pytest.mark.parametrize("task", [0, -1])
@pytest.mark.parametrize(("benchmark", "workload"), LASTING)
def test_a_killed_task_ends_the_program_with_an_error(
    benchmark: str, workload: str, task: int, tmp_path: Path
) -> None:
    with running(benchmark, workload, tmp_path) as (process, tasks):
        os.kill(tasks[task], signal.SIGKILL)
        errors = process.communicate(timeout=LIMIT_S)[1]
    assert process.returncode == 1
    assert errors.endswith(b"EOFError\n")
    assert not [one for one in tasks if lives(one)]


@pytest.mark.parametrize(("benchmark", "workload"), LASTING)
def test_an_interrupted_program_ends_its_tasks(
    benchmark: str, workload: str, tmp_path: Path
) -> None:
    with running(benchmark, workload, tmp_path) as (process, tasks):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode == -signal.SIGINT
    assert not [one for one in tasks if lives(one)]


@pytest.mark.parametrize(("benchmark", "workload"), programs(MOST))
def test_more_tasks_than_the_contract_allows_are_refused(
    benchmark: str, workload: str, tmp_path: Path
) -> None:
    allowed, refused, asked, most = MOST[benchmark]
    program = built(benchmark, "python", "multiprocessing")
    work: Given = {"workload": workload, "samples": tmp_path}
    message = f"{asked} are too many processes; ask for {most} at most"
    program.run(**{**work, **refused}).check_refused(message)
    assert program.say(**{**work, **allowed}).start["threads"] == 1


@contextmanager
def running(
    benchmark: str, workload: str, folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """The program and its tasks, all of which have been started."""
    number, work = LONG[benchmark]
    program = built(benchmark, "python", "multiprocessing")
    with program.start(*program.options(**work, workload=workload, samples=folder)) as process:
        end_s = time.monotonic() + LIMIT_S
        while len(tasks := children_of(process.pid)) < number and time.monotonic() < end_s:
            time.sleep(0.01)
        wait_until_forked(process.pid)  # it waits for its tasks, and knows the last of them
        try:
            yield process, tasks
        finally:
            process.kill()
            for one in tasks:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
    assert len(tasks) == number


def wait_until_forked(pid: int) -> None:
    """Waits until the process, which has all its tasks, has returned from the last fork: it sleeps
    in several readings, or has computed for some time, as the program of `select` does."""
    asleep, end_s, enough_s = 0, time.monotonic() + LIMIT_S, cpu_s(pid) + FORKED_S
    while asleep < 5 and cpu_s(pid) < enough_s and time.monotonic() < end_s:
        asleep = asleep + 1 if state_of(pid) == "S" else 0
        time.sleep(0.02)


def cpu_s(pid: int) -> float:
    return sum(map(int, fields_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def state_of(pid: int) -> str:
    return fields_of(pid)[0]


def fields_of(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third, the state, on."""
    status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return status.rpartition(") ")[2].split()


def children_of(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text(encoding="ascii").split()]


def lives(pid: int) -> bool:
    with suppress(OSError):
        return state_of(pid) != "Z"
    return False
