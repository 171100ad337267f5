"""Cycles and instructions of a program, with the kernel's own clock in the place of what not every
machine counts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from launcher.conftest import Launcher, Report, python
from runfair.formats.launch import LaunchReport
from runfair.machine.perf_counters import (
    SOFTWARE,
    CountedEvents,
    ProcessorCounters,
    counting_refusal,
)

# PERF_COUNT_SW_TASK_CLOCK of linux/perf_event.h: nanoseconds of CPU time.
CPU_TIME = ("--counters", "1:1,1:1")

# A thread, a child, and an orphan that is left to the launcher.
BURNERS = """
import os, threading, time
def burn(clock):
    while clock() < 0.1:
        pass
thread = threading.Thread(target=lambda: burn(time.thread_time))
thread.start()
thread.join()
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
    burn(time.process_time)
    os._exit(0)
os.wait()
time.sleep(0.5)
"""


@pytest.fixture
def allowed() -> None:
    events = CountedEvents(cycles=(SOFTWARE, 1), instructions=(SOFTWARE, 1))
    try:
        ProcessorCounters([os.getpid()], events).close()
    except OSError as refused:
        pytest.skip(f"may not count here: {refused.strerror}")


@pytest.mark.usefixtures("allowed")
def test_the_whole_tree_is_counted_from_exec_on(launcher: Launcher) -> None:
    report = launcher.run(python(BURNERS), *CPU_TIME)
    counted = LaunchReport.model_validate(report).processor
    assert counted is not None
    assert report["cpu_ns"] >= 300_000_000
    for reading in (counted.cycles, counted.instructions):
        assert reading.estimate == pytest.approx(report["cpu_ns"], rel=0.15)
    assert not counted.user_only


@pytest.mark.usefixtures("allowed")
def test_what_comes_before_the_program_is_not_counted(launcher: Launcher, tmp_path: Path) -> None:
    """A program of no length: emptying the page cache and starting it are the launcher's work."""
    big = tmp_path / "big"
    big.write_bytes(bytes(1 << 24))
    report = launcher.run(["/bin/true"], *CPU_TIME, "--drop-cache", str(big))
    assert 0 < report["processor"]["cycles"]["value"] < report["cpu_ns"] + 2_000_000


def test_without_what_can_be_counted_there_is_no_reading(launcher: Launcher) -> None:
    def counted(*options: str) -> Report | None:
        found: Report | None = launcher.run(["/bin/true"], *options)["processor"]
        return found

    assert counted("--counters", "none") is None
    assert counted("--counters", "1:9999,1:1") is None
    assert counted("--counters", "1:1,1:9999") is None
    assert (counted() is None) == bool(counting_refusal())


@pytest.mark.parametrize("events", ["1:1", "1,1", "a:1,1:1", "1:1,4294967296:1", "", "1:1,1:"])
def test_events_that_are_none_are_a_mistake(launcher: Launcher, events: str) -> None:
    command = launcher.command(["--counters", events], ["/bin/true"])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--counters needs" in done.stderr
