"""Tests the start and the end of a program, and its messages about mistakes of the user."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import socket
import time
from pathlib import Path

from .conversation import answers, connect, received, told
from .programs import Program

ASKED = b"GET /a.log HTTP/1.1\r\nHost: x\r\n\r\n"
BIG = b"GET /late.bin HTTP/1.1\r\nHost: x\r\n\r\n"
WAITING_CLIENTS = 200  # more than a queue for 128 can hold


def test_it_ends_while_connections_are_open(program: Program, folder: Path, tmp_path: Path) -> None:
    """The open connections are idle, in the middle of a request, or refused but not yet closed by
    the client."""
    with (
        program.serving(folder, tmp_path / "said") as running,
        connect(running.port) as idle,
        connect(running.port) as within,
        connect(running.port) as refused,
    ):
        within.sendall(ASKED[:20])
        refused.sendall(b"nonsense\r\n")
        idle.sendall(ASKED)
        assert idle.recv(4096).startswith(b"HTTP/1.1 200 ")
        running.end()
        assert received(idle) in (b"", b"0123456789")


def test_it_ends_although_a_client_does_not_read(
    program: Program, folder: Path, tmp_path: Path
) -> None:
    (folder / "files" / "late.bin").write_bytes(bytes(8_000_000))
    with (
        program.serving(folder, tmp_path / "said") as running,
        connect(running.port) as client,
    ):
        client.sendall(BIG * 9)
        time.sleep(0.2)
        running.end()


def test_the_end_answers_what_is_under_way(program: Program, folder: Path, tmp_path: Path) -> None:
    """The request under way is one whose answer the client has not read, because only its duration
    is under the test's control."""
    content = hashlib.shake_256(b"late").digest(8_000_000)
    (folder / "files" / "late.bin").write_bytes(content)
    with (
        program.serving(folder, tmp_path / "said") as running,
        connect(running.port) as client,
    ):
        client.sendall(BIG)
        head = client.recv(20)
        running.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            while True:  # until no process listens
                socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
                time.sleep(0.02)
        assert running.process.poll() is None
        (answer,) = answers(head + received(client), iter(()))
        assert (answer.status, answer.body == content) == (200, True)
        running.check_end()


def test_it_listens_where_it_is_told(program: Program, folder: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with program.serving(folder, tmp_path / "said", port=port) as running:
        assert running.port == port
        assert told(port, ASKED).startswith(b"HTTP/1.1 200 ")
        running.end()


def test_many_clients_wait_until_it_accepts_them(
    program: Program, folder: Path, tmp_path: Path
) -> None:
    with (
        program.serving(folder, tmp_path / "said") as running,
        contextlib.ExitStack() as clients,
    ):
        running.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(WAITING_CLIENTS):
                clients.enter_context(connect(running.port))
        finally:
            running.process.send_signal(signal.SIGCONT)
        running.end()


def test_a_port_in_use(program: Program, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        refused = program.refusal(input=folder, port=port)
    assert f'host "127.0.0.1" port {port} cannot be listened on' in refused


def test_a_host_that_is_not_here(program: Program, folder: Path) -> None:
    refused = program.refusal(input=folder, host="192.0.2.1")
    assert 'host "192.0.2.1" port 0 cannot be listened on' in refused


def test_an_input_that_is_not_there(program: Program, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert f'input "{missing}" cannot be read: ' in program.refusal(input=missing)


def test_an_input_without_files(program: Program, tmp_path: Path) -> None:
    assert str(tmp_path) in program.refusal(input=tmp_path)


def test_an_input_that_is_a_file(program: Program, folder: Path) -> None:
    assert "a.log" in program.refusal(input=folder / "files" / "a.log")


def test_no_input(program: Program) -> None:
    assert "option input=VALUE is missing; ./runfair exec file-server" in program.refusal()
