"""Services started, waited for, ended: well and otherwise."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from loading.server import Server, serving
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import Readiness
from runfair.machine.launching import Launcher
from runfair.serving.instance import Instance, ServiceFailed
from runfair.serving.process_files import read_children
from runfair.serving.request import CheckedRequest
from serving.services import HASTY, MS, cell, faulty, found, surroundings, timed

HELLO = CheckedRequest("GET", "/hello", {}, None, 200)

PROGRAM = r"""
import json, os, signal, socket, sys, threading, time
given = dict(word.split("=", 1) for word in sys.argv[1:])
def say(event, **values): print(json.dumps({"event": event, **values}), flush=True)
listener = socket.create_server((given["host"], int(given["port"])))
say("start", contract=2, benchmark="sort", language="c++", tier="standard", runtime="odd 1.0",
    threads=1, processors=1, monotonic_ns=time.monotonic_ns(), realtime_ns=time.time_ns(),
    cpu_clock_resolution_ns=1, effective={"database": os.environ.get("DATABASE_URL", "none")})
if "CHATTY" in os.environ:
    print("hello", flush=True)
say("ready", host="127.0.0.1", port=listener.getsockname()[1])
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
while True:
    stream, _ = listener.accept()
    with stream:
        stream.recv(4096)
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
"""


def start(
    launcher: Launcher, folder: Path, one: Cell, question: CheckedRequest | None = HELLO
) -> Instance:
    return Instance(one, surroundings(launcher, folder / "raw"), question)


def failure(instance: Instance) -> str:
    """Why it could not be had, in one line."""
    with pytest.raises(ServiceFailed) as caught, instance:
        pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


def wrong_answer(
    launcher: Launcher, folder: Path, one: Cell, question: CheckedRequest | None = HELLO
) -> tuple[str, Instance]:
    """What is said of a service that answers, but never rightly. On a busy machine its interpreter
    may take longer than the service has to become ready; then it gets ten times as long."""
    assert one.service is not None
    instance = start(launcher, folder, one, question)
    said = failure(instance)
    if "was answered with" in said:
        return said, instance
    ready = one.service.ready.model_copy(update={"timeout_ns": 10 * one.service.ready.timeout_ns})
    patient = one.service.model_copy(update={"ready": ready})
    instance = start(launcher, folder, one.model_copy(update={"service": patient}), question)
    return failure(instance), instance


def test_a_command_is_started_answers_and_is_ended(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, cell(tmp_path, timed())) as instance:
        instance.require_alive()
        assert instance.cold is not None
        assert instance.cold.ready_ns is not None
        assert instance.cold.first_answer_ns is not None
        assert instance.cold.process_ns < instance.cold.ready_ns < instance.cold.first_answer_ns
        assert HELLO.asked(instance.address, 10) is None
        assert str(instance.address.port) in instance.command
        root = instance.root_pid
        assert root is not None
    report = instance.report
    assert report is not None
    assert report.outcome.state == "ended_by_lab"
    assert report.cpu_ns > 0
    assert not instance.ignored_stop
    assert not Path(f"/proc/{root}").exists()
    assert not instance.address.accepts(1)
    assert not (tmp_path / "raw" / "stdout.pipe").exists()


def test_a_command_is_told_where_its_database_is(launcher: Launcher, tmp_path: Path) -> None:
    shown = "{database} {database_port}"
    one = cell(tmp_path, [*timed(), "--each-ms", "0"], environment={"SHOWN": shown})
    around = surroundings(launcher, tmp_path / "raw", database="redis://127.0.0.1:4711/2")
    with Instance(one, around, HELLO) as instance:
        assert instance.root_pid is not None
        (program,) = read_children(instance.root_pid)
        told = Path(f"/proc/{program}/environ").read_text().split("\0")
    assert "SHOWN=redis://127.0.0.1:4711/2 4711" in told
    assert "DATABASE_URL=redis://127.0.0.1:4711/2" in told


def test_not_ready_in_time_is_accounted_for(launcher: Launcher, tmp_path: Path) -> None:
    instance = start(launcher, tmp_path, cell(tmp_path, faulty("late"), ready=HASTY))
    said = failure(instance)
    assert "the service was not ready within 0.3 s (no process listens on 127.0.0.1:" in said
    assert said.endswith("state them in the `environment` of the service")
    assert instance.report is not None
    assert instance.report.outcome.state == "ended_by_lab"
    assert instance.cold is not None
    assert instance.cold.ready_ns is None


def test_listening_is_not_yet_answering_rightly(launcher: Launcher, tmp_path: Path) -> None:
    one = cell(tmp_path, faulty("redirects"), ready=Readiness(timeout_ns=900 * MS))
    said, instance = wrong_answer(launcher, tmp_path, one)
    assert "GET /hello was answered with status 302 (to /login), but 200 was expected" in said
    assert instance.cold is not None
    assert instance.cold.ready_ns is not None
    assert instance.cold.first_answer_ns is None


def test_ready_by_a_path_and_its_status(launcher: Launcher, tmp_path: Path) -> None:
    moved = Readiness(path="/health", status=302, timeout_ns=20_000 * MS)
    one = cell(tmp_path, faulty("redirects"), ready=moved)
    with start(launcher, tmp_path, one, None) as instance:
        instance.require_alive()
    fine = moved.model_copy(update={"status": 200, "timeout_ns": 900 * MS})
    one = cell(tmp_path, faulty("redirects"), ready=fine)
    said, _ = wrong_answer(launcher, tmp_path, one, None)
    assert "GET /health was answered with status 302" in said


def test_one_that_ends_by_itself(launcher: Launcher, tmp_path: Path) -> None:
    instance = start(launcher, tmp_path, cell(tmp_path, faulty("ends")))
    assert failure(instance) == "the service ended by itself: exit status 1"
    assert "the configuration is missing" in (tmp_path / "raw" / "stderr").read_text()
    assert instance.report is not None
    assert instance.report.outcome.exit_status == 1


def test_one_that_cannot_be_started(launcher: Launcher, tmp_path: Path) -> None:
    script = tmp_path / "server"
    script.write_text("#!/nowhere/interpreter\n")
    script.chmod(0o755)
    said = failure(start(launcher, tmp_path, cell(tmp_path, [str(script)])))
    assert said.startswith("the service ended by itself: not started: ")


def test_more_memory_than_it_was_given(launcher: Launcher, tmp_path: Path) -> None:
    eats = [sys.executable, "-c", "kept = [bytearray(b'x') * (1 << 20) for _ in range(4096)]"]
    limited = cell(tmp_path, eats, factors=Factors(memory_limit_bytes=150 << 20))
    instance = start(launcher, tmp_path, limited)
    assert failure(instance) == ("the service ended by itself: it exceeded its memory limit")


def test_a_port_in_use_starts_nothing(launcher: Launcher, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        instance = start(launcher, tmp_path, cell(tmp_path, timed(), port=port))
        assert failure(instance) == (
            f"the service's port {port} is already in use; end the process that listens on the port"
        )
    assert instance.report is None
    assert instance.cold is None


def test_a_deaf_service_is_killed_and_that_is_told(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, cell(tmp_path, faulty("deaf"))) as instance:
        pass
    assert instance.ignored_stop
    assert not instance.address.accepts(1)


def test_a_signal_of_the_users_ends_it(launcher: Launcher, tmp_path: Path) -> None:
    script = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    script += "signal.signal(signal.SIGINT, lambda *_: sys.exit(0))\n"
    script += "import socket\nwith socket.create_server(('127.0.0.1', int(sys.argv[1]))):\n"
    script += "    signal.pause()\n"
    command = [sys.executable, "-c", script, "{port}"]
    one = cell(tmp_path, command, stop_signal="SIGINT")
    with start(launcher, tmp_path, one, None) as instance:
        pass
    assert instance.report is not None
    assert instance.report.outcome.exit_status == 0
    assert not instance.ignored_stop


def test_what_dies_later_is_noticed(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, cell(tmp_path, faulty("dies"))) as instance:
        instance.require_alive()
        with pytest.raises(OSError, match=r"reset|refused|closed"):
            for _ in range(100):
                HELLO.asked(instance.address, 10)
        with pytest.raises(ServiceFailed, match="ended by itself: signal 6"):
            while True:
                instance.require_alive()
        with pytest.raises(ServiceFailed, match="ended by itself: signal 6"):
            instance.require_alive()


def test_placeholders_and_the_database_are_filled_in(launcher: Launcher, tmp_path: Path) -> None:
    telling = ["sh", "-c", 'echo "$DATABASE_URL $AT $0"; exec "$@"', "{database}", *timed()]
    one = cell(tmp_path, telling, environment={"AT": "port {port}", "GONE": ""})
    around = surroundings(launcher, tmp_path / "raw", database="postgresql://u@h/d")
    with Instance(one, around, HELLO) as instance:
        port = instance.address.port
    said = (tmp_path / "raw" / "stdout").read_text()
    assert said == f"postgresql://u@h/d port {port} postgresql://u@h/d\n"


def test_what_runs_already_is_left_as_it_is(launcher: Launcher, tmp_path: Path) -> None:
    with serving() as server:
        with start(launcher, tmp_path, found(tmp_path, _root(server))) as instance:
            assert instance.root_pid == os.getpid()
            assert instance.cold is None
            instance.require_alive()
        assert instance.report is None
        assert server.requests == 1
        assert instance.address.accepts(1)
    said = failure(start(launcher, tmp_path, found(tmp_path, _root(server))))
    assert "not ready within 0.3 s (" in said


def test_a_program_of_ours_says_where_it_listens(launcher: Launcher, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    one = cell(tmp_path, [sys.executable, str(script)], kind="program")
    with start(launcher, tmp_path, one) as instance:
        assert instance.address.port != 0
        assert instance.start_line is not None
        assert instance.start_line.runtime == "odd 1.0"
        assert instance.start_line.effective == {"database": "none"}
        given = [word for word in instance.command if "=" in word]
        assert {"host=127.0.0.1", "port=0", f"workload={one.workload}"} <= set(given)
        assert "count=1" not in given
        assert HELLO.asked(instance.address, 10) is None
    assert instance.report is not None
    assert instance.report.outcome.exit_status == 0
    assert '"event": "ready"' in (tmp_path / "raw" / "stdout").read_text()

    around = surroundings(launcher, tmp_path / "raw")
    url = "postgresql://service:secret@127.0.0.1:1/payments"
    with Instance(one, replace(around, database=url, counted=True), HELLO) as instance:
        assert instance.start_line is not None
        assert instance.start_line.effective == {"database": url}
        assert "count=1" in instance.command
        assert not any("secret" in word for word in instance.command)  # everybody may read it
    chatty = replace(around, environment={**around.environment, "CHATTY": "1"})
    assert "does not follow the contract" in failure(Instance(one, chatty, HELLO))


def _root(server: Server) -> str:
    return server.url.removesuffix("/hello")
