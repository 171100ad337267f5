"""System calls whose number is known, counted by the kernel."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from runfair.machine import perf_counters
from runfair.machine.perf_counters import SystemCallCounters, SystemCalls

CALLS = 500
# Says that it is there, waits for a line, and then makes known calls: half of them in a thread that
# was not there before.
PROGRAM = f"""
import os, select, socket, threading
def work():
    one, other = socket.socketpair()
    for _ in range({CALLS} // 2):
        one.send(b"x")
        select.select([other], [], [])
        other.recv(1)
        os.write(one.fileno(), b"x")
        os.read(other.fileno(), 1)
        os.getppid()
print("here", flush=True)
input()
thread = threading.Thread(target=work)
thread.start()
thread.join()
work()
print("done", flush=True)
input()
"""


@contextmanager
def program() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-I", "-c", PROGRAM]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "here\n"
            yield process
        finally:
            process.kill()


def test_known_calls_are_counted_by_kind_in_threads_to_come_as_well() -> None:
    with program() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            counters = SystemCallCounters([process.pid])
        except OSError as refused:
            pytest.skip(f"may not count here: {refused.strerror}")
        with counters:
            before = counters.read()
            process.stdin.write("go\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            after = counters.read()
    assert before == SystemCalls(0, 0, 0, 0, 0)
    # Two of each in every round; starting a thread and printing take some more.
    assert 2 * CALLS <= after.read <= 2 * CALLS + 20
    assert 2 * CALLS <= after.write <= 2 * CALLS + 20
    assert CALLS <= after.wait <= CALLS + 20
    assert CALLS <= after.other <= CALLS + 100


def test_a_thread_that_is_gone_is_passed_over() -> None:
    with program() as process:
        pass
    try:
        with SystemCallCounters([process.pid]) as counters:
            assert counters.read() == SystemCalls(0, 0, 0, 0, 0)
    except OSError as refused:
        pytest.skip(f"may not count here: {refused.strerror}")


def test_who_may_not_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_counters, "_READ_UNMOUNTED", "exit 1")
    monkeypatch.setattr(perf_counters, "read_number", lambda *_: None)
    with pytest.raises(OSError, match="cannot be read") as refused:
        SystemCallCounters([1])
    assert refused.value.errno == errno.EACCES
