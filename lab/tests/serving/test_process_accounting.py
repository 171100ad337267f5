"""Real process trees; sizes are asserted by wide ratios, durations never."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runfair.machine.launching import Launch, Launcher
from runfair.serving.process_accounting import TreeAccounting, TreeUsage
from runfair.serving.process_files import (
    group_alone,
    read_children,
    read_cpu_clock_ns,
    read_threads,
)

# Burns CPU time, not wall time: the machine may be as busy as it likes.
BURN = """
import os, sys, threading, time
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
def say(word):
    os.write(1, f'{word}\\n'.encode())  # in one piece, whoever else writes
def hear():
    sys.stdin.readline()
"""
MEGABYTE = 1 << 20


@contextlib.contextmanager
def running(script: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", BURN + script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, so that its children end with it
    )
    with process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def taken_by(process: subprocess.Popen[str]) -> TreeUsage:
    """The CPU time and memory that the process uses between its first two lines of output."""
    heard(process)
    accounting = TreeAccounting(process.pid)
    before = accounting.look()
    tell(process)
    heard(process)
    return accounting.look() - before


def test_own_time_is_counted_between_two_looks() -> None:
    with running("say('up'); hear(); burn(0.4); say('done'); hear()") as process:
        assert heard(process) == "up"
        accounting = TreeAccounting(process.pid)
        before = accounting.look()
        tell(process)
        assert heard(process) == "done"
        taken = accounting.look() - before
    assert 0.38e9 < taken.cpu_ns < 0.8e9
    assert taken.cpu_method == "proc"
    # In ticks, so never more than what the scheduler counted by more than its own coarseness.
    assert abs(taken.user_ns + taken.system_ns - taken.cpu_ns) <= 40_000_000
    assert taken.monotonic_ns >= taken.cpu_ns
    assert taken.processes == 1
    assert taken.vanished_threads == 0
    assert taken.unseen_cpu_ns <= 0.05 * taken.cpu_ns


def test_user_and_system_time_are_told_apart() -> None:
    script = """
say('up'); hear()
until = os.times().system + 0.3
with open('/dev/zero', 'rb', buffering=0) as source:
    while os.times().system < until:
        source.read(1 << 22)
say('done'); hear()
"""
    with running(script) as process:
        taken = taken_by(process)
    assert taken.system_ns >= 0.25e9
    assert taken.system_ns > taken.user_ns


def test_children_count_while_they_live_and_once_reaped() -> None:
    script = """
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    burn(0.3); os.write(writing, b'x'); time.sleep(1000)
os.read(reading, 1)
say('alive'); hear()
os.kill(child, 9); os.waitpid(child, 0)
say('reaped'); hear()
"""
    with running(script) as process:
        accounting = TreeAccounting(process.pid)
        assert heard(process) == "alive"
        alive = accounting.look()
        tell(process)
        assert heard(process) == "reaped"
        reaped = accounting.look()
    assert (alive.processes, reaped.processes) == (2, 1)
    assert alive.cpu_ns >= 0.3e9
    assert reaped.cpu_ns >= alive.cpu_ns
    assert reaped.cpu_ns - alive.cpu_ns < 0.15e9  # not counted twice
    assert reaped.vanished_threads == 1


def test_what_nobody_saw_is_said_to_be_unseen() -> None:
    """A child that came and went between two looks: its time is known, its switches are not."""
    script = """
say('up'); hear()
if os.fork() == 0:
    burn(0.3); os._exit(0)
os.wait(); say('done'); hear()
"""
    with running(script) as process:
        taken = taken_by(process)
    assert taken.cpu_ns >= 0.28e9
    assert taken.unseen_cpu_ns >= 0.25e9
    assert taken.vanished_threads == 0


def test_switches_are_summed_over_threads() -> None:
    script = """
def nap():
    for _ in range(200): time.sleep(0.0001)
    stay.wait()
stay = threading.Event()
napping = [threading.Thread(target=nap, daemon=True) for _ in range(3)]
say('up'); hear()
for thread in napping: thread.start()
hear()
"""
    with running(script) as process:
        heard(process)
        accounting = TreeAccounting(process.pid)
        before = accounting.look()
        tell(process)
        for _ in range(600):
            taken = accounting.look() - before
            if taken.voluntary_switches >= 600:
                break
            time.sleep(0.05)
    assert 600 <= taken.voluntary_switches < 1500
    assert taken.vanished_threads == 0


def test_run_queue_time_grows_when_two_want_one_processor() -> None:
    script = """
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
say('up'); hear()
if os.fork() == 0:
    burn(0.3); time.sleep(1000)
burn(0.3); time.sleep(0.01)
say('done'); hear()
"""
    with running(script) as process:
        taken = taken_by(process)
    if taken.run_queue_ns is None:
        pytest.skip("this kernel keeps no scheduler statistics")
    # They take turns: each waits about as long as the other runs.
    assert taken.run_queue_ns >= 0.1e9
    assert taken.involuntary_switches >= 5


def test_a_shared_page_counts_once_in_the_peak_of_a_tree() -> None:
    script = f"""
import mmap
block = mmap.mmap(-1, {64 * MEGABYTE})
block.write(b'x' * len(block))
for _ in range(4):
    if os.fork() == 0:
        sum(block[at] for at in range(0, len(block), 4096)); say('up'); time.sleep(1000)
hear()
"""
    with running(script) as process:
        assert [heard(process) for _ in range(4)] == ["up"] * 4
        usage = TreeAccounting(process.pid).look()
        assert usage.processes == 5
    assert usage.peak_method == "sampled_pss"
    assert 64 * MEGABYTE < usage.peak_bytes < 3 * 64 * MEGABYTE  # five times 64 would be resident


def test_the_peak_of_a_single_process_is_what_it_once_had() -> None:
    script = f"block = b'x' * {100 * MEGABYTE}; del block; say('freed'); hear()"
    with running(script) as process:
        heard(process)
        usage = TreeAccounting(process.pid).look()
    assert usage.peak_method == "resident"
    assert usage.peak_bytes > 100 * MEGABYTE


def test_written_bytes_are_those_that_reach_storage(tmp_path: Path) -> None:
    script = f"""
say('up'); hear()
with open({str(tmp_path / "written")!r}, 'wb') as file:
    file.write(b'x' * {8 * MEGABYTE}); file.flush(); os.fsync(file.fileno())
say('done'); hear()
"""
    with running(script) as process:
        taken = taken_by(process)
    if taken.written_bytes == 0:
        pytest.skip("the temporary folder is kept in memory")
    assert taken.written_bytes is not None
    assert 8 * MEGABYTE <= taken.written_bytes < 12 * MEGABYTE


def test_a_tree_that_has_ended_keeps_its_last_figures() -> None:
    with running("burn(0.1); say('done'); hear()") as process:
        heard(process)
        accounting = TreeAccounting(process.pid)
        last = accounting.look()
        process.kill()
        process.wait()
        gone = accounting.look()
    assert gone.processes == 0
    assert gone.cpu_ns == last.cpu_ns >= 0.1e9
    assert gone.vanished_threads == 1
    with pytest.raises(ProcessLookupError):
        TreeAccounting(process.pid)


def test_below_the_launcher_its_own_time_is_left_out_and_orphans_are_kept(
    launcher: Launcher, tmp_path: Path
) -> None:
    orphan = "burn(0.3); os.kill(os.getpid(), 9)"
    script = f"""
import subprocess
middle = [sys.executable, '-c', 'import subprocess, sys; subprocess.Popen(sys.argv[1:])']
subprocess.run([*middle, sys.executable, '-c', {BURN + orphan!r}])
say('left'); hear()
"""
    with launched(launcher, tmp_path, script) as launch:
        accounting = TreeAccounting.below(launch.launcher_pid)
        itself = TreeAccounting(launch.launcher_pid)
        for _ in range(600):
            usage = accounting.look()
            if usage.processes == 1 and usage.cpu_ns >= 0.3e9:
                break
            time.sleep(0.05)
        assert usage.processes == 1
        assert usage.cpu_ns >= 0.28e9  # the orphan's, which the launcher has reaped
        assert itself.look().processes == 2


def test_the_work_of_one_that_does_not_count_itself_is_left_out() -> None:
    script = """
child = os.fork()
if child == 0:
    time.sleep(1000)
burn(0.3); say('done'); hear()
os.kill(child, 9)
"""
    with running(script) as process:
        heard(process)
        without = TreeAccounting(process.pid, counts_itself=False).look()
        whole = TreeAccounting(process.pid).look()
        tell(process)
    assert (without.processes, whole.processes) == (1, 2)
    assert whole.cpu_ns >= 0.3e9
    assert without.cpu_ns < 0.1e9


def test_a_group_that_holds_the_tree_alone_is_the_better_source(
    launcher: Launcher, tmp_path: Path
) -> None:
    mount = next(
        (
            mount
            for mount in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
            if (mount / "cgroup.subtree_control").exists() and os.access(mount, os.W_OK)
        ),
        None,
    )
    if mount is None or os.geteuid() != 0:
        pytest.skip("no version 2 cgroup can be made here")
    group = mount / f"runfair-accounting-{os.getpid()}"
    script = "say('up'); hear()"
    with launched(launcher, tmp_path, script) as launch, running(script) as stranger:
        assert launch.output_fd is not None
        assert os.read(launch.output_fd, 10) == b"up\n"
        (program,) = read_children(launch.launcher_pid)
        group.mkdir()
        try:
            (group / "cgroup.procs").write_text(str(program))
            found = group_alone([program])
            assert found is not None
            assert found.folder == group
            assert group_alone([program, stranger.pid]) is None  # they are in two groups
            accounting = TreeAccounting.below(launch.launcher_pid)
            usage = accounting.look()
            assert usage.cpu_method == "cgroup"
            with pytest.raises(ValueError, match="cannot be subtracted from each other"):
                _ = usage - TreeAccounting(stranger.pid).look()
            (group / "cgroup.procs").write_text(str(stranger.pid))
            assert group_alone([program]) is None  # somebody else is in it
        finally:
            launch.kill()
            launch.wait()
            stranger.kill()
            stranger.wait()
            remove(group)


def remove(group: Path) -> None:
    """A group stays busy for a moment after its last member was reaped."""
    for _ in range(100):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.02)
    group.rmdir()


def launched(launcher: Launcher, folder: Path, script: str) -> Launch:
    return launcher.start(
        [sys.executable, "-c", BURN + script],
        report=folder / "report.json",
        environment={"PATH": "/usr/bin:/bin"},
        directory=folder,
        processors=[],
        timeout_s=60,
        watched_input=True,
    )


def test_the_clock_of_a_process_counts_threads_that_ended_exactly() -> None:
    """Between what the process itself reads before and after; no thread that lives knows of it."""
    script = """
say('up'); hear()
ending = [threading.Thread(target=burn, args=(0.1,)) for _ in range(3)]
for thread in ending: thread.start()
for thread in ending: thread.join()
while len(os.listdir('/proc/self/task')) > 1: time.sleep(0.001)  # joined before the kernel is done
say(time.process_time_ns()); hear()
say(time.process_time_ns()); hear()
"""
    with running(script) as process:
        assert heard(process) == "up"
        tell(process)
        before_ns = int(heard(process))
        clock_ns = read_cpu_clock_ns(process.pid)
        living_ns = sum(one.ran_ns or 0 for one in read_threads(process.pid).values())
        tell(process)
        after_ns = int(heard(process))
    assert clock_ns is not None
    assert 0.3e9 <= before_ns <= clock_ns <= after_ns
    assert living_ns <= clock_ns - 0.3e9
    assert read_cpu_clock_ns(process.pid) is None  # ended, and waited for


def test_a_recorded_tree_has_no_clock(tmp_path: Path) -> None:
    assert read_cpu_clock_ns(os.getpid(), tmp_path) is None
