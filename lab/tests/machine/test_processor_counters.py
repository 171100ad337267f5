"""Cycles and instructions: on a machine without counters by the kernel's own clock in their place,
whose truth is known otherwise."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runfair.formats.launch import CounterReading
from runfair.machine import perf_counters
from runfair.machine.perf_counters import (
    EXCLUDE_KERNEL_AND_HYPERVISOR,
    SOFTWARE,
    CountedEvents,
    ProcessorCounters,
    counting_refusal,
    open_counter,
)

MS = 1_000_000
# PERF_COUNT_SW_TASK_CLOCK: nanoseconds of CPU time; and an event that no kernel has.
CPU_TIME = CountedEvents(cycles=(SOFTWARE, 1), instructions=(SOFTWARE, 1))
NO_SUCH = CountedEvents(cycles=(SOFTWARE, 9999), instructions=(SOFTWARE, 9999))

# Says that it is there, waits for a line, computes: in a thread and in a child that were not there
# before as well; and tells how much CPU time all of it took.
PROGRAM = """
import os, threading, time
def burn(clock, until):
    while clock() < until:
        pass
def used():
    return sum(os.times()[:4])
print("here", flush=True)
input()
before = used()
thread = threading.Thread(target=lambda: burn(time.thread_time, 0.1))
thread.start()
thread.join()
if os.fork() == 0:
    burn(time.process_time, 0.1)
    os._exit(0)
os.wait()
burn(time.thread_time, time.thread_time() + 0.1)
print(round((used() - before) * 1e9), flush=True)
input()
"""


@contextmanager
def program() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-I", "-S", "-c", PROGRAM]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "here\n"
            yield process
        finally:
            process.kill()


@pytest.fixture
def allowed() -> None:
    try:
        ProcessorCounters([os.getpid()], CPU_TIME).close()
    except OSError as refused:
        pytest.skip(f"may not count here: {refused.strerror}")


@pytest.mark.usefixtures("allowed")
def test_what_a_program_and_all_that_it_starts_take_is_counted() -> None:
    with program() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with ProcessorCounters([process.pid], CPU_TIME) as counters:
            before = counters.read()
            process.stdin.write("go\n")
            process.stdin.flush()
            inside_ns = int(process.stdout.readline())
            counted = counters.read().since(before)
    assert before.cycles.value < 20 * MS
    assert inside_ns >= 280 * MS  # three tenths of a second, in the kernel's ticks
    for reading in (counted.cycles, counted.instructions):
        # The program's own figure steps by ticks of 10 ms, of itself and of its child.
        assert inside_ns - 40 * MS <= reading.value <= 1.2 * inside_ns + 40 * MS
        assert reading.estimate == pytest.approx(reading.value, rel=0.01)
    assert not counted.user_only


@pytest.mark.usefixtures("allowed")
def test_they_leave_no_descriptor_and_pass_over_who_is_gone() -> None:
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    with program() as process:
        gone = process.pid
    with ProcessorCounters([gone, os.getpid()], CPU_TIME) as counters:
        assert len(list(descriptors.iterdir())) == before + 2
        assert counters.read().cycles.value >= 0
    with pytest.raises(FileNotFoundError):
        ProcessorCounters([os.getpid()], NO_SUCH)
    assert len(list(descriptors.iterdir())) == before


def test_an_event_that_took_turns_is_scaled_or_refused() -> None:
    def estimate(running_ns: int) -> float | None:
        return CounterReading(value=600, enabled_ns=1_000, running_ns=running_ns).estimate

    assert estimate(1_000) == 600
    assert estimate(750) == 800
    assert estimate(500) == 1_200
    assert estimate(499) is None
    assert estimate(0) is None
    assert CounterReading(value=0, enabled_ns=0, running_ns=0).estimate is None


def refusing(monkeypatch: pytest.MonkeyPatch, refused: Callable[[int], int]) -> list[int]:
    """The kernel refuses with the number that `refused` gives for the flags, and lets with 0."""
    asked: list[int] = []

    def asking(kind: int, event: int, flags: int, thread: int, read_format: int) -> int:
        asked.append(flags)
        number = refused(flags)
        if number:
            raise OSError(number, os.strerror(number))
        return open_counter(kind, event, flags, thread, read_format)

    monkeypatch.setattr(perf_counters, "open_counter", asking)
    return asked


@pytest.mark.usefixtures("allowed")
def test_the_kernels_part_is_left_out_where_it_is_forbidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = refusing(
        monkeypatch, lambda flags: 0 if flags & EXCLUDE_KERNEL_AND_HYPERVISOR else errno.EACCES
    )
    with ProcessorCounters([os.getpid()], CPU_TIME) as counters:
        assert counters.read().user_only
    assert len(asked) == 3
    assert counting_refusal(CPU_TIME) == ""


def test_each_refusal_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    level = tmp_path / "proc" / "sys" / "kernel" / "perf_event_paranoid"
    level.parent.mkdir(parents=True)
    level.write_text("3\n")
    for number, said in (
        (errno.EACCES, "kernel.perf_event_paranoid is 3; type: sudo sysctl"),
        (errno.EPERM, "kernel.perf_event_paranoid is 3; type: sudo sysctl"),
        (errno.ENOENT, "or the hypervisor, provides no counters"),
        (errno.EOPNOTSUPP, "or the hypervisor, provides no counters"),
        (errno.EMFILE, "too many open files"),
    ):
        with monkeypatch.context() as here:
            refusing(here, lambda _, number=number: number)  # type: ignore[misc]
            assert said in counting_refusal(CPU_TIME, tmp_path)


def test_counters_that_stand_still_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_counters, "open_counter", lambda *_: os.open("/dev/null", 0))
    monkeypatch.setattr(perf_counters, "timed_value_of", lambda _: (0, 10, 10))
    assert counting_refusal(CPU_TIME) == (
        "the counters always read zero, because the hypervisor does not provide them"
    )
