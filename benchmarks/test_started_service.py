"""Tests that no process of a service remains, however the service and its test behave, and that its
faults are detected."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import ValidationError

import started_service
from started_service import NotReady, ServiceProgram, StartedService, members

# Some tests wait for one of these times as a whole. The first is long enough for an interpreter to
# start on a busy machine.
START_S, END_S = 6, 2

# The first argument selects the service's fault, or none. The service writes its process numbers
# into the folder that is the second argument.
SERVICE = """
import json, os, pathlib, signal, sys, time

fault, folder = sys.argv[1:]

def say(event, **values):
    os.write(1, json.dumps({"event": event, **values}).encode() + b"\\n")

def written_down():
    (pathlib.Path(folder) / str(os.getpid())).touch()

def work():
    if not os.fork():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        written_down()
        time.sleep(600)

def end(*_):
    if fault != "leaves a worker":
        for worker in pathlib.Path(folder).iterdir():
            if int(worker.name) != os.getpid():
                os.kill(int(worker.name), signal.SIGTERM)
    if fault != "has no last word":
        say("end", iterations=0)
    os._exit(3 if fault == "ends badly" else 0)

written_down()
signal.signal(signal.SIGTERM, signal.SIG_IGN if fault == "ignores SIGTERM" else end)
work()
while len(list(pathlib.Path(folder).iterdir())) < 2:
    time.sleep(0.01)
if fault == "dies at once":
    sys.exit("the configuration is missing")
say(
    "start", contract=2, benchmark="test", language="python", tier="standard", runtime="test",
    threads=1, processors=1, monotonic_ns=1, realtime_ns=1, cpu_clock_resolution_ns=1,
)
if fault == "says half of ready":
    os.write(1, b'{"event":"ready"')
else:
    say("ready", host="127.0.0.1", port=4711)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "processes"
    made.mkdir()
    return made


@pytest.fixture
def said(tmp_path: Path) -> Path:
    return tmp_path / "said"


@pytest.fixture
def hasty_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started_service, "START_LIMIT_S", START_S)


@pytest.fixture
def hasty_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started_service, "END_LIMIT_S", END_S)


def service(fault: str, folder: Path) -> ServiceProgram:
    command = [sys.executable, "-c", SERVICE, fault, str(folder)]
    return ServiceProgram("test", "python", "standard", command)


def alive(process: int) -> bool:
    try:
        return "Z (zombie)" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def check_gone(folder: Path) -> None:
    """Checks that the service and its worker existed, and that both are gone."""
    processes = [int(written.name) for written in folder.iterdir()]
    assert len(processes) == 2
    assert [each for each in processes if alive(each)] == []


def test_an_honest_one_is_ready_and_ends(folder: Path, said: Path) -> None:
    with service("", folder).started(StartedService, said) as running:
        assert [event["event"] for event in running.events] == ["start", "ready"]
        assert running.port == 4711
        assert len(members(running.process.pid)) == 2
        running.end()
        check_gone(folder)


def test_a_failed_test_leaves_no_worker(folder: Path, said: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        service("", folder).started(StartedService, said) as running,
    ):
        assert running.port // 0
    check_gone(folder)


def test_a_killed_service_leaves_no_worker(folder: Path, said: Path) -> None:
    with service("", folder).started(StartedService, said) as running:
        running.process.kill()
        running.process.wait()
        assert len(members(running.process.pid)) == 1
    check_gone(folder)


@pytest.mark.usefixtures("hasty_end")
def test_one_that_does_not_end_is_told_and_ended(folder: Path, said: Path) -> None:
    with service("ignores SIGTERM", folder).started(StartedService, said) as running:
        with pytest.raises(subprocess.TimeoutExpired):
            running.end()
        assert running.process.poll() is None
    assert running.process.returncode == -signal.SIGKILL
    check_gone(folder)


@pytest.mark.usefixtures("hasty_end")
def test_one_that_leaves_a_worker_is_told(folder: Path, said: Path) -> None:
    with service("leaves a worker", folder).started(StartedService, said) as running:
        with pytest.raises(AssertionError, match="go on without it"):
            running.end()
        assert running.process.returncode == 0
    check_gone(folder)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("ends badly", "ended with status 3"),
        ("has no last word", "its last word is {'event': 'ready'"),
    ],
)
def test_a_bad_end_is_told(fault: str, told: str, folder: Path, said: Path) -> None:
    with (
        service(fault, folder).started(StartedService, said) as running,
        pytest.raises(AssertionError, match=told),
    ):
        running.end()
    check_gone(folder)


@pytest.mark.usefixtures("hasty_start")
def test_one_that_never_says_ready_is_told_and_ended(folder: Path, said: Path) -> None:
    with (
        pytest.raises(NotReady, match="is not ready"),
        service("says half of ready", folder).started(StartedService, said),
    ):
        pytest.fail("it is not ready")
    check_gone(folder)


def test_one_that_dies_at_once_says_why_and_leaves_no_worker(folder: Path, said: Path) -> None:
    with (
        pytest.raises(NotReady, match=r"status 1 .*the configuration is missing"),
        service("dies at once", folder).started(StartedService, said),
    ):
        pytest.fail("it is not ready")
    check_gone(folder)


def test_lines_that_the_schema_does_not_allow(said: Path) -> None:
    line = json.dumps({"event": "ready", "host": "127.0.0.1", "port": "many"})
    program = ServiceProgram("test", "sh", "standard", ["sh", "-c", f"echo '{line}'; sleep 600"])
    with (
        program.started(StartedService, said) as running,
        pytest.raises(ValidationError, match="'many'"),
    ):
        assert running.events
    assert members(running.process.pid) == []


# ---------------------------------------------------------------- mistakes


def spoken(script: str) -> ServiceProgram:
    return ServiceProgram("test", "sh", "standard", ["sh", "-c", script, "sh"])


def test_a_mistake_is_one_line() -> None:
    program = spoken('echo "test: option $1=VALUE is missing" >&2; exit 2')
    assert program.mistake("port") == "test: option port=VALUE is missing\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'test: no' >&2; exit 1", "ended with status 1"),
        ("echo 'test: no' >&2; echo '{}'; exit 2", "said b"),
        ("echo 'other: no' >&2; exit 2", "not one line"),
        ("printf 'test: no\\n  at main\\n' >&2; exit 2", "not one line"),
        ("printf 'test: no' >&2; exit 2", "not one line"),
        ("exit 2", "not one line"),
    ],
    ids=["status", "said", "name", "lines", "no newline", "nothing"],
)
def test_what_is_no_mistake_told_well(script: str, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        spoken(script).mistake()


@pytest.mark.usefixtures("hasty_start")
def test_one_that_goes_on_with_a_mistaken_option_is_ended(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        spoken(f"echo $$ > {tmp_path}/group; sleep 600 & sleep 600").mistake()
    group = int((tmp_path / "group").read_text())
    assert group != os.getpgrp()
    assert members(group) == []
