"""Tests that a server answers the next client, whatever clients did before."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import resource
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conversation import Site, answers, connect, told
from .programs import Program, Running

MANY = 1024
# The languages in which, by the contract, each connection has a thread of the operating system.
THREAD_A_CONNECTION = ("c++", "java", "python", "rust")
BIG_BYTES = 8_000_000
ASKED = b"GET /a.log HTTP/1.1\r\nHost: x\r\n\r\n"
BIG = b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def big(folder: Path) -> bytes:
    content = hashlib.shake_256(b"big").digest(BIG_BYTES)
    (folder / "files" / "big.bin").write_bytes(content)
    return content


def check_next(port: int, site: Site) -> None:
    (answer,) = answers(told(port, ASKED), iter(()))
    assert (answer.status, answer.body.decode()) == (200, site.files["a.log"])


def read_answer(client: socket.socket, length: int) -> bytes:
    """The body of the next answer. No further answer has arrived yet."""
    said = b""
    while b"\r\n\r\n" not in said:
        part = client.recv(1 << 16)
        assert part, "closed before its answer"
        said += part
    body = bytearray(said.partition(b"\r\n\r\n")[2])
    while len(body) < length:
        part = client.recv(1 << 16)
        assert part, "closed within its answer"
        body += part
    return bytes(body)


@contextlib.contextmanager
def connected(port: int, count: int) -> Iterator[list[socket.socket]]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * count
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"no more than {hard} files may be open here")
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    with contextlib.ExitStack() as clients:
        yield [clients.enter_context(connect(port)) for _ in range(count)]


def test_1024_connections_at_once(running: Running, site: Site) -> None:
    expected = site.files["a.log"].encode()
    with connected(running.port, MANY) as clients:
        for _ in range(2):
            for client in clients:
                client.sendall(ASKED)
            for client in clients:
                assert read_answer(client, len(expected)) == expected
    check_next(running.port, site)


def test_a_connection_is_what_the_contract_says(
    program: Program, folder: Path, site: Site, tmp_path: Path
) -> None:
    count = 200  # far more than the number of threads that any runtime itself starts
    with (
        program.serving(folder, tmp_path / "said", threads=2) as running,
        connected(running.port, count) as clients,
    ):
        for client in clients:
            client.sendall(ASKED)
        for client in clients:
            read_answer(client, len(site.files["a.log"]))
        own = program.language in THREAD_A_CONNECTION
        assert (running.threads > count) == own, running.threads


def test_half_open_connections(running: Running, site: Site) -> None:
    """Clients send nothing, half a line, half a head or half a body. Some of them then leave."""
    halves = [
        b"",
        b"GET /a.l",
        ASKED[:-2],
        b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n123",
    ]
    with connected(running.port, 64) as clients:
        for number, client in enumerate(clients):
            client.sendall(halves[number % len(halves)])
        check_next(running.port, site)
        for client in clients[:32]:
            client.close()
        check_next(running.port, site)
        # Clients that have not left can still continue.
        clients[33].sendall(b"og HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_answer(clients[33], 10).decode() == site.files["a.log"]


def test_clients_that_do_not_read(running: Running, site: Site, big: bytes) -> None:
    """Clients request gigabytes without reading. No other client waits for them, and at most one
    answer for each is in memory."""
    with connected(running.port, 4) as clients:
        for client in clients:
            client.sendall(BIG * 200)
        check_next(running.port, site)
        assert read_answer(clients[0], len(big))[: len(big)] == big
        check_next(running.port, site)
        asked_for = len(clients) * 200 * BIG_BYTES
        assert running.peak_bytes < asked_for / 8


def test_a_client_that_reads_slowly_gets_all(running: Running, site: Site, big: bytes) -> None:
    with connect(running.port) as client:
        client.sendall(BIG + ASKED)
        check_next(running.port, site)
        said = b""
        while not said.endswith(b"\r\n\r\n0123456789"):
            time.sleep(0.005)
            part = client.recv(1 << 16)
            assert part, "closed within an answer"
            said += part
        first, second = answers(said, iter(()))
        assert (first.body == big, second.status) == (True, 200)


def test_abrupt_resets(running: Running, site: Site, big: bytes) -> None:
    """Clients reset the connection before an answer, during an answer, and after an incomplete
    request."""
    assert len(big) == BIG_BYTES
    for number in range(60):
        client = connect(running.port)
        client.sendall((BIG * 3, ASKED, ASKED[:9])[number % 3])
        if number % 3 < 2 and number % 2:
            client.recv(100)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    check_next(running.port, site)


def test_what_is_sent_behind_a_refusal_does_not_lose_it(running: Running, site: Site) -> None:
    """The server reads bytes after a refused request. If the server did not read them, a reset
    would overtake the answer."""
    (answer,) = answers(told(running.port, b"nonsense\r\n" + b"x" * 500_000), iter(()))
    assert answer.status == 400
    check_next(running.port, site)


def test_a_client_that_never_ends_is_left(running: Running, site: Site) -> None:
    """After a refusal the server reads only a limited number of bytes."""
    with connect(running.port) as client:
        client.sendall(b"nonsense\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1000):
                client.sendall(b"x" * 100_000)
    check_next(running.port, site)


def test_two_threads_answer_connections_side_by_side(
    program: Program, folder: Path, site: Site, tmp_path: Path
) -> None:
    cases = [case for case in site.cases() if case.group in ("files", "ranges", "connections")]

    def ask_all(port: int) -> int:
        for case in cases:
            said = answers(told(port, case.send), iter(case.heads))
            assert tuple(answer.said for answer in said) == case.answers, case.name
        return len(cases)

    with program.serving(folder, tmp_path / "said", threads=2) as running:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(ask_all, running.port) for _ in range(8)]
            assert sum(future.result() for future in asked) == 8 * len(cases)
        running.end()
