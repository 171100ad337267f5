"""A program's start and end, and what it says of the user's mistakes."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import socket
import time
from pathlib import Path

import pytest

from .conversation import answers, connect, received, told
from .programs import Program

ASKED = b"GET /a.log HTTP/1.1\r\nHost: x\r\n\r\n"
BIG = b"GET /late.bin HTTP/1.1\r\nHost: x\r\n\r\n"


def test_it_ends_while_connections_are_open(program: Program, folder: Path, tmp_path: Path) -> None:
    """Idle ones, one within a request and one that is refused but stays."""
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
    """The one request whose length is ours to say: one whose answer is not read yet."""
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
            while True:  # until nobody listens any more
                socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
                time.sleep(0.02)
        assert running.process.poll() is None
        (answer,) = answers(head + received(client), iter(()))
        assert (answer.status, answer.body == content) == (200, True)
        running.check_end()


def test_it_listens_where_it_is_told(program: Program, folder: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ("--host", "127.0.0.1", "--port", str(port))
    with program.serving(folder, tmp_path / "said", *options) as running:
        assert running.port == port
        assert told(port, ASKED).startswith(b"HTTP/1.1 200 ")
        running.end()


def test_a_port_in_use(program: Program, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert port in program.mistake("--input", str(folder), "--port", port)


def test_a_host_that_is_not_here(program: Program, folder: Path) -> None:
    assert "192.0.2.1" in program.mistake("--input", str(folder), "--host", "192.0.2.1")


def test_an_input_that_is_not_there(program: Program, tmp_path: Path) -> None:
    assert "missing" in program.mistake("--input", str(tmp_path / "missing"))


def test_an_input_without_files(program: Program, tmp_path: Path) -> None:
    assert str(tmp_path) in program.mistake("--input", str(tmp_path))


def test_an_input_that_is_a_file(program: Program, folder: Path) -> None:
    assert "a.log" in program.mistake("--input", str(folder / "files" / "a.log"))


@pytest.mark.parametrize(
    "options",
    [
        ("--prot", "80"),
        ("--port", "65536"),
        ("--threads", "0"),
        ("--workload", "web"),
        ("--param", "x=1"),
    ],
)
def test_a_mistaken_option(program: Program, folder: Path, options: tuple[str, ...]) -> None:
    mistake = program.mistake("--input", str(folder), *options)
    # The option, or the parameter, that it is about.
    assert options[0] in mistake or options[-1].partition("=")[0] in mistake


def test_no_input(program: Program) -> None:
    assert "--input" in program.mistake()
