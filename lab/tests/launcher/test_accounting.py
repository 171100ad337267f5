"""What the launcher says a program took, against what the program itself knows."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from launcher.conftest import Launcher, Report, numbers_in, python, wait_until

MIB = 1 << 20
SANITIZED = "sanitize" in os.environ.get("RUNFAIR_LAUNCHER_FLAGS", "")

# The kernel still counts what a process does after it has told of its end.
LEAVING_NS = 5_000

# Two children burn, one of them a grandchild whose parent leaves it to the launcher.
BURNERS = """
import os, resource, sys, time
def burn(seconds):
    while time.process_time() < seconds:
        pass
if os.fork() == 0:
    burn(0.2)
    os._exit(0)
os.wait()
burn(0.2)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(int(sum(u.ru_utime + u.ru_stime for u in used) * 1e9))
"""


def test_cpu_time_is_that_of_the_tree(launcher: Launcher, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = launcher.run(python(BURNERS), "--stdout", str(out))
    inside_ns = int(out.read_text())
    assert inside_ns >= 400_000_000
    # After it has looked at its own figure the program only ends.
    assert inside_ns <= report["cpu_ns"] <= 1.2 * inside_ns + 20_000_000
    assert report["cpu_ns"] == report["user_ns"] + report["system_ns"]


def test_cpu_time_is_from_exec_on(launcher: Launcher) -> None:
    """A program of one thread cannot have computed for longer than it lived."""
    reports = [launcher.run(["/bin/true"]) for _ in range(21)]
    assert all(report["cpu_ns"] > 0 for report in reports)
    within = [report["cpu_ns"] <= 1.02 * report["wall_ns"] + LEAVING_NS for report in reports]
    assert sum(within) > len(reports) * 2 / 3


def test_cpu_time_of_orphans_counts(launcher: Launcher) -> None:
    code = """
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        while time.process_time() < 0.3:
            pass
        os.write(writing, b"x")
    os._exit(0)
os.wait()
os.read(reading, 1)
"""
    report = launcher.run(python(code))
    assert report["cpu_ns"] >= 300_000_000
    assert report["wall_ns"] >= 300_000_000


def test_wall_time_is_from_exec_to_the_end(launcher: Launcher, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = "import time; a = time.monotonic_ns(); time.sleep(0.3); print(a, time.monotonic_ns())"
    report = launcher.run(python(code), "--stdout", str(out))
    began_ns, ended_ns = map(int, out.read_text().split())
    assert report["started_monotonic_ns"] < began_ns
    assert report["started_monotonic_ns"] + report["wall_ns"] > ended_ns
    drift_ns = time.time_ns() - time.monotonic_ns()
    offset_ns = report["started_realtime_ns"] - report["started_monotonic_ns"]
    assert abs(offset_ns - drift_ns) < 1_000_000_000


def test_peak_memory_is_not_that_of_a_fat_lab(launcher: Launcher) -> None:
    code = f"""
import subprocess, sys
fat = bytearray(b"x") * {300 * MIB}
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, check=True)
"""
    command = launcher.command((), ["/bin/true"])
    subprocess.run([sys.executable, "-c", code, *command], check=True)
    report = launcher.read_report()
    assert 0 < report["peak_rss_bytes"] < 8 * MIB
    assert report["peak_tree_bytes"] == report["peak_rss_bytes"]
    assert report["peak_tree_method"] == "wait4"


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's shadow memory is not the launcher's")
def test_the_launcher_is_small(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = """
import os, sys, threading, time
for _ in range(20):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    if os.fork() == 0:
        time.sleep(60)
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(60)
"""
    process = launcher.start(python(code, str(pids)), "--sample-ms", "10")
    wait_until(lambda: len(numbers_in(pids)) == 1, "the tree stands")
    time.sleep(0.5)
    status = Path(f"/proc/{process.pid}/status").read_text()
    peak_kb = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    process.terminate()
    report = launcher.finish(process)
    assert report["processes"] == 21
    assert int(peak_kb) * 1024 < 4 * MIB


def test_watching_costs_next_to_nothing(launcher: Launcher) -> None:
    """A program of no length costs the start and the end alone, at the machine's speed of now."""
    watched, unwatched = (launcher.run(["/bin/sleep", seconds]) for seconds in ("2", "0"))
    limit_share = 0.1 if SANITIZED else 0.02
    costs_ns = watched["launcher_cpu_ns"] - unwatched["launcher_cpu_ns"]
    assert costs_ns < limit_share * watched["wall_ns"]


def allocating_children(launcher: Launcher, size_bytes: int) -> Report:
    """Two children that each hold half of the bytes at the same time."""
    code = """
import os, sys, time
for _ in range(2):
    if os.fork() == 0:
        held = bytearray(b"x") * (int(sys.argv[1]) // 2)
        time.sleep(1.5)
        os._exit(0)
os.wait()
os.wait()
"""
    return launcher.run(python(code, str(size_bytes)), "--sample-ms", "20")


def test_peak_memory_of_a_tree(launcher: Launcher) -> None:
    empty, full = allocating_children(launcher, 2), allocating_children(launcher, 200 * MIB)
    for report in (empty, full):
        assert report["peak_tree_method"] == "sampled_pss"
        assert report["processes"] == report["processes_started"] == 3
    assert full["peak_tree_bytes"] - empty["peak_tree_bytes"] == pytest.approx(200 * MIB, rel=0.1)
    # The greatest member alone: half.
    assert full["peak_rss_bytes"] < 150 * MIB


def test_a_child_too_short_to_sample_is_known_of(launcher: Launcher) -> None:
    code = f"""
import os
if os.fork() == 0:
    held = bytearray(b"x") * {60 * MIB}
    os._exit(0)
os.wait()
"""
    report = launcher.run(python(code), "--sample-ms", "0")
    assert report["peak_tree_method"] == "sampled_pss"
    assert report["processes_started"] == 2
    assert report["peak_tree_bytes"] >= 60 * MIB


def test_switches_faults_and_bytes(launcher: Launcher, tmp_path: Path) -> None:
    idle = launcher.run(python("pass"))
    code = """
import os, sys, time
for _ in range(200):
    time.sleep(0.0005)
held = bytearray(b"x") * (20 << 20)
with open(sys.argv[1], "wb") as out:
    out.write(held)
    os.fsync(out.fileno())
"""
    busy = launcher.run(python(code, str(tmp_path / "data")))
    assert busy["voluntary_switches"] - idle["voluntary_switches"] >= 200
    assert busy["involuntary_switches"] >= 0
    assert busy["minor_faults"] > idle["minor_faults"]
    if busy["written_bytes"] is None:
        assert not Path("/proc/self/io").exists()
    else:
        assert busy["written_bytes"] - idle["written_bytes"] >= 20 * MIB


def resident_bytes_supported(folder: Path) -> bool:
    kind = subprocess.run(
        ["stat", "--file-system", "--format=%T", str(folder)], capture_output=True, check=True
    ).stdout.strip()
    return kind not in (b"tmpfs", b"ramfs")


def test_drop_cache(launcher: Launcher, tmp_path: Path) -> None:
    if not resident_bytes_supported(tmp_path):
        pytest.skip("the temporary folder is memory, whose pages cannot be dropped")
    inputs = tmp_path / "inputs" / "deeper"
    inputs.mkdir(parents=True)
    single = tmp_path / "single"
    for file in (inputs / "one", inputs.parent / "two", single):
        file.write_bytes(os.urandom(2 * MIB + 100))
    size = 3 * (2 * MIB + 100)
    program = python("import sys; open(sys.argv[1], 'rb').read()", str(single))
    report = launcher.run(
        program, "--drop-cache", str(tmp_path / "inputs"), "--drop-cache", str(single)
    )
    assert report["page_cache"] == {"asked": size, "resident_before": size, "resident_after": 0}
    # The program had to fetch it from storage again.
    assert report["read_bytes"] >= 2 * MIB

    missing = launcher.run(["/bin/true"], "--drop-cache", str(tmp_path / "missing"))
    assert missing["outcome"]["state"] == "not_started"
    assert "missing" in missing["outcome"]["error"]


# Above the others' priority where that is allowed, so that only a burner of the same priority
# counts, not whatever else this machine does. Sessions are weighed as wholes (sched(7), autogroup).
BURN = """
import contextlib, os, sys, time
with contextlib.suppress(OSError):
    os.nice(-15)
    open("/proc/self/autogroup", "w").write("-15")
while time.process_time() < float(sys.argv[1]):
    pass
"""


@contextmanager
def burner(processor: int) -> Iterator[None]:
    planted = subprocess.Popen(
        ["taskset", "-c", str(processor), *python(BURN, "60")], start_new_session=True
    )
    try:
        yield
    finally:
        planted.kill()
        planted.wait()


def pinned_burn(launcher: Launcher, processor: int) -> Report:
    return launcher.run(python(BURN, "0.4"), "--processors", str(processor))


def test_what_processors_did_goes_on_from_one_execution_to_the_next(launcher: Launcher) -> None:
    """Counted since boot, so that a block's first and last execution tell of all between them."""
    processor = max(os.sched_getaffinity(0))
    told = [launcher.run(python(BURN, "0.1"), "--processors", str(processor)) for _ in range(3)]
    spans = [one["processor_span"] for one in told]
    for one, span in zip(told, spans, strict=True):
        busy_ns = span["busy_after_ns"] - span["busy_before_ns"]
        assert max(0, busy_ns - span["own_ns"]) == one["foreign_ns"]
        assert span["own_ns"] >= one["cpu_ns"] > 0
        assert span["steal_after_ns"] - span["steal_before_ns"] == one["steal_ns"]
    for before, after in pairwise(spans):
        assert before["busy_after_ns"] <= after["busy_before_ns"]
        assert before["steal_after_ns"] <= after["steal_before_ns"]


# Sixteen threads at a time, on one processor.
SHORT_THREADS = """
import sys, threading
for _ in range(int(sys.argv[1]) // 16):
    batch = [threading.Thread(target=int) for _ in range(16)]
    for thread in batch:
        thread.start()
    for thread in batch:
        thread.join()
"""


def test_the_end_of_a_thread_is_not_foreign_time(launcher: Launcher) -> None:
    """The kernel adds a thread's CPU time to its process before the thread has left the processor.
    A cgroup counts the rest."""
    accounting = Path("/sys/fs/cgroup/cpuacct")
    if not os.access(accounting if accounting.is_dir() else "/sys/fs/cgroup", os.W_OK):
        pytest.skip("needs a writable cgroup")
    few, many = (
        launcher.run(python(SHORT_THREADS, str(threads)), "--processors", "0")
        for threads in (16, 4800)
    )
    uncounted_ns = [one["processor_span"]["own_ns"] - one["cpu_ns"] for one in (few, many)]
    assert uncounted_ns[1] - uncounted_ns[0] > 4800 * 500


@pytest.mark.alone
def test_foreign_time_shows_a_planted_burner(launcher: Launcher) -> None:
    processors = os.sched_getaffinity(0)
    if len(processors) < 2:
        pytest.skip("one processor: the launcher and the tests would be the foreign time")
    processor = max(processors)
    alone, crowded = [], []
    for _ in range(3):
        quiet = pinned_burn(launcher, processor)
        alone.append(quiet["foreign_ns"] / quiet["wall_ns"])
        with burner(processor):
            loud = pinned_burn(launcher, processor)
        crowded.append(loud["foreign_ns"] / loud["wall_ns"])
        assert loud["foreign_source"] in ("schedstat", "cpuacct", "stat")
        assert loud["steal_ns"] is None or loud["steal_ns"] >= 0
        # Nobody can have had more than the processor.
        assert loud["foreign_ns"] + loud["cpu_ns"] <= 1.1 * loud["wall_ns"] + 2e7
        if loud["run_queue_ns"] is not None:
            # While the other ran, this one waited.
            assert loud["run_queue_ns"] > 0.5 * loud["foreign_ns"]
    assert statistics.median(crowded) > 0.25
    assert min(alone) < 0.6 * statistics.median(crowded)


@pytest.mark.alone
def test_the_launchers_work_around_a_program_is_not_foreign_time(launcher: Launcher) -> None:
    """A short program has as much of that work as a long one. The launcher forks before the
    program begins, and looks at what it left behind after its end."""
    allowed = os.sched_getaffinity(0)
    processor = max(allowed)
    os.sched_setaffinity(0, {processor})  # the launcher has the program's processor
    shares: list[float] = []
    try:
        # Other processes may use the processor as well, but not during most starts of all rounds.
        while len(shares) < 5 and not (shares and shares[-1] < 0.3):
            told = [launcher.run(["/bin/true"], "--processors", str(processor)) for _ in range(41)]
            if any(one["foreign_source"] == "stat" for one in told):
                pytest.skip("this kernel counts in ticks")
            foreign_ns = statistics.median(one["foreign_ns"] for one in told)
            shares.append(foreign_ns / statistics.median(one["launcher_cpu_ns"] for one in told))
    finally:
        os.sched_setaffinity(0, allowed)
    assert min(shares) < 0.3, shares


def test_foreign_time_is_of_all_processors_without_a_list(launcher: Launcher) -> None:
    report = launcher.run(["/bin/sleep", "0.1"])
    online = Path("/sys/devices/system/cpu/online").read_text().strip()
    first, _, last = online.partition("-")
    if "," not in online:
        assert report["processors"] == list(range(int(first), int(last or first) + 1))
    assert len(report["processors"]) == os.sysconf("SC_NPROCESSORS_ONLN")


def test_names_that_are_not_text_survive(launcher: Launcher) -> None:
    done = subprocess.run(
        [*map(os.fsencode, launcher.command((), [])), b'/no\xff"\n\xc3\xa9'],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0
    text = launcher.report_file.read_bytes().decode("utf-8")
    assert '/no\ufffd"\n\u00e9' in json.loads(text)["outcome"]["error"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_waiting_before_the_program_is_not_the_programs(launcher: Launcher) -> None:
    """The child of the launcher waits for the launcher's processor; the program has its own."""
    allowed = os.sched_getaffinity(0)
    ours, its = sorted(allowed)[:2]
    os.sched_setaffinity(0, {ours})
    try:
        with burner(ours):
            waits = [
                launcher.run(["/bin/true"], "--processors", str(its))["run_queue_ns"]
                for _ in range(21)
            ]
    finally:
        os.sched_setaffinity(0, allowed)
    if waits[0] is None:
        pytest.skip("this kernel tells no run-queue times")
    # The burner's slices are of milliseconds, and a start waits for one or two of them; the
    # program's own processor may be busy as well, but not for most of the starts.
    assert statistics.quantiles(waits, n=4)[0] < 1_000_000
