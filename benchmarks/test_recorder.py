"""Tests the recorder of every harness against contract.md, "Distributions", from outside."""

from __future__ import annotations

import array
import fcntl
import os
import re
import subprocess
import termios
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import IO

import pytest

from built_program import LIMIT_S, built, check_order, events_of, finish
from harness.python.recorder import Recorder
from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.catalogue.runtime import variants
from runfair.formats.distribution import CELLS, FILE_BYTES, read_recorder, recorder_file
from runfair.formats.variant import Variant, at_least
from runfair.paths import BENCHMARKS

PROGRAMS = [(one.language, one.tier) for one in benchmarks()["timer-lateness"].programs]
LANGUAGES = [language for language, tier in PROGRAMS if tier == STANDARD]
# The recorder needs a thread that writes beside the event loop, which sparrow does not have.
EVENT_LOOPS = [
    one
    for one in variants()
    if (one.language, one.state) == ("javascript", "ready") and "node_threads" not in one.lacks
]
# These runtimes cannot map a file.
WRITTEN_NOW_AND_THEN = ("erlang", "javascript")
# A benchmark without distributions.
WITHOUT = dict.fromkeys(LANGUAGES, "sort") | {"erlang": "parallel-efficiency"}
PERIOD_US = 100
GLANCE_S = 0.05
FLUSHED_S = 0.5  # lines are kept for at most a tenth of a second

# Before Go 1.9, the clock of package time can step.
STEPPING = [
    one
    for one in variants()
    if (one.family, one.state) == ("go", "ready")
    and not at_least(one.version, "1.9")
    and "+" not in one.name
]
CLOCK = """
package main

import harness "runfair/harness/go"

func main() {
	started := harness.Now()
	println(int64(started), int64(harness.Now()-started))
}
"""

# The program records, and then occupies the only thread that could notice a tick.
BUSY = """
import {{ main }} from '{harness}/harness.js';

main({{
  name: 'busy',
  tier: 'standard',
  maxThreads: 1,
  load: (options) => options.recorder('lateness'),
  prepare: (lateness) => lateness,
  run(lateness) {{
    for (const value of [0, 5, 5, 2 ** 53 - 1]) lateness.record(value);
    while (true);
  }},
  digest() {{}},
  counters: () => ({{}}),
}});
"""


@pytest.mark.parametrize("variant", STEPPING, ids=lambda variant: variant.name)
def test_an_old_go_takes_times_from_the_monotonic_clock(variant: Variant, tmp_path: Path) -> None:
    program = tmp_path / "clock.go"
    program.write_text(CLOCK)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "runfair").symlink_to(BENCHMARKS)
    go = Path(variant.executable).resolve()
    environment = {**os.environ, "GOROOT": str(go.parent.parent), "GOPATH": str(tmp_path)}
    before_ns = time.monotonic_ns()
    command = [str(go), "run", str(program)]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    now_ns, since_ns = map(int, done.stderr.split())
    assert before_ns < now_ns < time.monotonic_ns()
    assert 0 <= since_ns < time.monotonic_ns() - before_ns


def test_all_times_of_samples_in_go_are_those_of_the_recorder() -> None:
    sources = [
        path
        for path in (BENCHMARKS / "concurrency").rglob("*.go")
        if not path.name.endswith("_test.go")
    ]
    assert sources
    assert [path for path in sources if re.search(r"time\.(Now|Since)\(", path.read_text())] == []


@pytest.mark.parametrize(("language", "tier"), PROGRAMS)
def test_an_iteration_tells_the_cells_of_its_samples(
    language: str, tier: str, tmp_path: Path
) -> None:
    work = {"burners": 3, "rounds": 100_000, "period_us": PERIOD_US}
    outcome = built("timer-lateness", language, tier).say(samples=tmp_path, iterations=3, **work)
    for iteration in outcome.of_event("iteration"):
        assert list(iteration["samples"]) == ["lateness"]
        numbers = iteration["samples"]["lateness"]
        cells, counts = numbers[::2], numbers[1::2]
        assert len(cells) == len(counts)
        assert all(a < b for a, b in pairwise([-1, *cells, CELLS]))
        assert all(count > 0 for count in counts)
        # Each tick of the schedule is recorded once.
        assert 1 <= sum(counts) <= iteration["wall_ns"] // (1000 * PERIOD_US)
    left = read_recorder(recorder_file(tmp_path, "lateness"))
    if language not in WRITTEN_NOW_AND_THEN:
        assert left == (2, numbers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_with_a_recorder_waits_for_a_slow_reader(language: str, tmp_path: Path) -> None:
    """A thread of the recorder must not make standard output non-blocking."""
    timer = built("timer-lateness", language)
    work = {"burners": 1, "rounds": 1, "period_us": PERIOD_US}
    with timer.start(*timer.options(samples=tmp_path, iterations=200, **work)) as process:
        assert process.stdout is not None
        room = fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        # The pipe is as full as it can be when no more bytes are added.
        before, now = -1, 0
        while (now == 0 or now != before) and process.poll() is None:
            before = now
            time.sleep(FLUSHED_S)
            now = waiting_bytes(process.stdout)
        output, errors = finish(process)
    assert process.returncode == 0, errors.decode()
    assert len(output) > room
    check_order(events_of(output))


def waiting_bytes(pipe: IO[bytes]) -> int:
    """The number of unread bytes in the pipe."""
    number = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, number)
    return number[0]


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "javascript"])
def test_a_killed_program_leaves_its_samples(language: str, tmp_path: Path) -> None:
    timer = built("timer-lateness", language)
    for_hours = timer.options(samples=tmp_path, burners=100, rounds=2**31 - 1)
    check_killed(timer.start(*for_hours), tmp_path)


@pytest.mark.parametrize("variant", EVENT_LOOPS, ids=lambda variant: variant.name)
def test_a_killed_event_loop_leaves_its_samples(variant: Variant, tmp_path: Path) -> None:
    """The samples are kept although the event loop was busy from the first sample on."""
    script = tmp_path / "busy.mjs"
    script.write_text(BUSY.format(harness=BENCHMARKS / "harness" / "javascript"))
    words = [
        str(variant.executable),
        str(script),
        "iterations=1",
        "threads=1",
        f"samples={tmp_path}",
    ]
    check_killed(subprocess.Popen(words, stdout=subprocess.DEVNULL), tmp_path)
    assert read_recorder(recorder_file(tmp_path, "lateness"))[1] == [0, 1, 5, 2, CELLS - 1, 1]


def test_no_busy_process_delays_the_writer_in_erlang(tmp_path: Path) -> None:
    command = built("timer-lateness", "erlang").timed.command
    tell = (
        f'recorder:new(#{{benchmark => x, "samples" => "{tmp_path}"}}, lateness), '
        "[{_, _, Writer}] = get(recorder), "
        'io:format("~w", [process_info(Writer, priority)]), halt().'
    )
    command = [*command[: command.index("-s")], "-eval", tell]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == "{priority,high}"


def check_killed(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Kills a program in its first iteration as soon as something is recorded, and checks that no
    sample is lost."""
    path = recorder_file(folder, "lateness")
    seen: list[int] = []
    with process:
        try:
            deadline_s = time.monotonic() + LIMIT_S
            while not seen:
                assert process.poll() is None
                assert time.monotonic() < deadline_s, "nothing is recorded"
                time.sleep(GLANCE_S)
                if path.exists() and path.stat().st_size == FILE_BYTES:
                    seen = read_recorder(path)[1]
        finally:
            process.kill()
    index, left = read_recorder(path)
    assert index == 0
    assert sum(left[1::2]) >= sum(seen[1::2])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_recorder_needs_its_folder(language: str) -> None:
    command = "./runfair exec timer-lateness --print shows a whole command"
    program = built("timer-lateness", language)
    options = [one for one in program.options() if not one.startswith("samples=")]
    program.run_with(*options).check_refused(f"option samples=VALUE is missing; {command}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_without_recorders_tells_no_samples(language: str, tmp_path: Path) -> None:
    (iteration,) = built(WITHOUT[language], language).say(samples=tmp_path).of_event("iteration")
    assert "samples" not in iteration
    assert list(tmp_path.iterdir()) == []


def test_threads_lose_no_samples_in_python(tmp_path: Path) -> None:
    """In Python an addition consists of several steps, between which the interpreter may switch
    threads."""
    recorder = Recorder(str(tmp_path), "lateness")
    recorder.begin(7)

    def record() -> None:
        for value in range(20_000):
            recorder.record(value % 50)

    threads = [threading.Thread(target=record) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [number for cell in range(50) for number in (cell, 8 * 20_000 // 50)]
    assert read_recorder(recorder_file(tmp_path, "lateness")) == (7, expected)
    assert recorder.samples() == expected
