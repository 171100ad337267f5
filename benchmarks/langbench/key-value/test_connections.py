"""Tests that every program survives the behaviour of clients, and ends when it is told to."""

from __future__ import annotations

import concurrent.futures
import contextlib
import random
import resource
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runfair.catalogue.benchmark import benchmarks
from started_service import service_options

from .client import ANSWER_LIMIT_S, Client, request
from .conversations import conversations
from .program import NAME, Program, Running
from .stress import cap, stress

MANY = 1024
# The languages and tiers in which, by the contract's tables, each connection has a thread of the
# operating system.
THREAD_A_CONNECTION = {
    (language, tier)
    for language in ("c++", "java", "python", "rust")
    for tier in ("standard", "plain")
}
MEBIBYTE = 1 << 20
# The greatest growth of a program's memory if the contract allows it to keep almost nothing. It
# leaves room for a garbage collector, but is far below the announced or unread bytes.
GROWTH_LIMIT_BYTES = 128 * MEBIBYTE
REDIS_LIMIT_S = 60


@pytest.fixture
def descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * MANY), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def require_service(server: Running) -> None:
    """Checks that the next client gets right answers."""
    with server.client() as client:
        assert client.ask(b"SET", b"next", b"client") == b"+OK\r\n"
        assert client.ask(b"GET", b"next") == b"$6\r\nclient\r\n"


# ---------------------------------------------------------------- clients


@pytest.mark.usefixtures("descriptors")
def test_many_connections_at_once(server: Running) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.client()) for _ in range(MANY)]
        for number, client in enumerate(clients):
            client.socket.sendall(request(b"SET", b"own:%d" % number, b"%d" % number))
        for client in clients:
            assert client.answer() == b"+OK\r\n"
        for number, client in enumerate(clients):
            client.socket.sendall(request(b"GET", b"own:%d" % (MANY - 1 - number)))
        for number, client in enumerate(clients):
            value = b"%d" % (MANY - 1 - number)
            assert client.answer() == b"$%d\r\n%b\r\n" % (len(value), value)


def test_a_connection_is_what_the_contract_says(program: Program, tmp_path: Path) -> None:
    connections = 200  # far more than the number of threads that any runtime itself starts
    with (
        program.running(tmp_path / "said", threads=2) as running,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(connections):
            stack.enter_context(running.client()).ask(b"PING")
        threads = running.threads()
    own = (program.language, program.tier) in THREAD_A_CONNECTION
    assert (threads > connections) == own, threads


def test_threads_end_with_their_connections(server: Running) -> None:
    require_service(server)
    before = server.threads()
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(server.client()).ask(b"PING")
    deadline_s = time.monotonic() + ANSWER_LIMIT_S
    while server.threads() > before + 20:
        assert time.monotonic() < deadline_s, "threads of connections that have ended live on"
        time.sleep(0.02)


def test_connections_that_say_nothing_or_half_a_request(server: Running) -> None:
    halves = (b"", b"*", b"*3\r\n$3\r\nSET\r\n", b"*1\r\n$100\r\nabc", b"PIN")
    with contextlib.ExitStack() as stack:
        for half in 20 * halves:
            stack.enter_context(server.client()).socket.sendall(half)
        require_service(server)


def test_resets(server: Running) -> None:
    for _, sent, _ in conversations():
        client = server.client()
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            client.socket.sendall(sent)
        client.reset()
    for _ in range(100):
        server.client().reset()
    require_service(server)


def test_a_client_that_does_not_read(server: Running) -> None:
    """The client's answers would fill 256 MiB. The client waits, but no other client waits for
    it."""
    requests, value = 4096, bytes(64 * 1024)
    answer = b"$65536\r\n" + value + b"\r\n"
    with server.client() as client, server.client() as other:
        client.ask(b"SET", b"big", value)
        before = server.resident_bytes()
        client.socket.sendall(requests * request(b"GET", b"big"))
        for _ in range(100):
            assert other.ask(b"GET", b"big") == answer
        assert server.resident_bytes() - before < GROWTH_LIMIT_BYTES
        # When the client reads, all its requests are answered.
        for _ in range(requests):
            assert client.answer() == answer
    with server.client() as client, server.client() as other:
        client.socket.sendall(requests * request(b"GET", b"big"))
        assert other.ask(b"GET", b"big") == answer
        client.reset()
    require_service(server)


def test_values_that_are_announced_and_do_not_come(server: Running) -> None:
    before = server.resident_bytes()
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            client = stack.enter_context(server.client())
            client.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$400000000\r\nabc")
            client = stack.enter_context(server.client())
            client.socket.sendall(b"*1048576\r\n$4\r\nPING\r\n")
        require_service(server)
        assert server.resident_bytes() - before < GROWTH_LIMIT_BYTES


def test_a_value_of_a_gibibyte_is_refused_at_its_header(server: Running) -> None:
    before = server.resident_bytes()
    with server.client() as client:
        client.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1073741824\r\n")
        refusal = b"-ERR Protocol error: invalid bulk length\r\n"
        assert client.answer() == refusal
        assert client.answer() == b""  # closed
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            for _ in range(16):
                client.socket.sendall(bytes(MEBIBYTE))
            pytest.fail("a refused value is taken all the same")
    assert server.resident_bytes() - before < GROWTH_LIMIT_BYTES
    require_service(server)


def test_a_great_value(server: Running) -> None:
    value = random.Random(1).randbytes(20 * MEBIBYTE)
    with server.client() as client:
        assert client.ask(b"SET", b"great", value) == b"+OK\r\n"
        assert client.ask(b"GET", b"great") == b"$%d\r\n%b\r\n" % (len(value), value)
        assert client.ask(b"DEL", b"great") == b":1\r\n"


def test_many_requests_in_one_packet(server: Running) -> None:
    """The packet is larger than any buffer. The packet is sent as a whole while the answers are
    read."""
    asked = b"".join(
        request(b"SET", b"k%d" % (i % 50), b"v%d" % i) + request(b"GET", b"k%d" % (i % 50))
        for i in range(20000)
    )
    answered = b"".join(b"+OK\r\n$%d\r\nv%d\r\n" % (len(b"v%d" % i), i) for i in range(20000))
    with server.client() as client, concurrent.futures.ThreadPoolExecutor(1) as pool:
        sending = pool.submit(client.socket.sendall, asked)
        received = b""
        while len(received) < len(answered):
            received += client.socket.recv(65536)
        sending.result()
    assert received == answered


# ---------------------------------------------------------------- threads


def test_connections_side_by_side(program: Program, tmp_path: Path) -> None:
    with program.running(tmp_path / "said", threads=2, rows=7) as running:
        stress(running, connections=8, operations=200)
        running.end()


def test_evictions_side_by_side(program: Program, tmp_path: Path) -> None:
    options = {"threads": 2, "rows": 7, "capacity_bytes": 2000}
    with program.running(tmp_path / "said", **options) as running:
        cap(running, connections=8, operations=200, capacity_bytes=2000)
        running.end()


@pytest.mark.long
def test_many_connections_side_by_side(program: Program, tmp_path: Path) -> None:
    with program.running(tmp_path / "said", threads=2, rows=7) as running:
        stress(running, connections=96, operations=500)
        running.end()


# ---------------------------------------------------------------- Redis' own tools


def redis(tool: str, *words: str, said: str = "") -> str:
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool} here: apt-get install redis-tools")
    done = subprocess.run(
        [path, *words],
        input=said,
        capture_output=True,
        text=True,
        timeout=REDIS_LIMIT_S,
        check=True,
    )
    assert "WARNING" not in done.stdout + done.stderr
    assert "rror" not in done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("pipelined", ["1", "16"])
def test_redis_benchmark(server: Running, pipelined: str) -> None:
    with server.client() as client:
        client.ask(b"FLUSHALL")
        load = ("-n", "4000", "-r", "500", "-d", "64", "-c", "50", "-P", pipelined)
        told = redis("redis-benchmark", "-p", str(server.port), "-t", "set,get", "--csv", *load)
        assert [line.split(",")[0] for line in told.splitlines()[1:]] == ['"SET"', '"GET"']
        assert 450 < int(client.ask(b"DBSIZE")[1:]) <= 500


def test_redis_cli(server: Running) -> None:
    port = ("-p", str(server.port))
    assert redis("redis-cli", *port, "SET", "greeting", "hello there") == "OK\n"
    assert redis("redis-cli", *port, "GET", "greeting") == "hello there\n"
    typed = 'DEL greeting\nGET greeting\nSET k "a b"\nget k\nSELECT 0\n'
    assert redis("redis-cli", *port, said=typed) == "1\n\nOK\na b\nOK\n"
    assert "# Keyspace" in redis("redis-cli", *port, "INFO")


# ---------------------------------------------------------------- the end


def test_the_end_does_not_wait_for_clients(program: Program, tmp_path: Path) -> None:
    """The clients are idle, have sent half a request, or never read."""
    with (
        program.running(tmp_path / "said", threads=2) as running,
        running.client() as idle,
        running.client() as half,
        running.client() as unread,
    ):
        idle.ask(b"SET", b"big", bytes(MEBIBYTE))
        half.socket.sendall(b"*2\r\n$3\r\nGET\r\n")
        unread.socket.sendall(100 * request(b"GET", b"big"))
        running.end()


def test_nobody_is_let_in_after_the_end(program: Program, tmp_path: Path) -> None:
    with program.running(tmp_path / "said") as running:
        require_service(running)
        running.end()
        with pytest.raises(ConnectionRefusedError):
            Client(running.port)


def test_the_start_says_what_was_asked(program: Program, tmp_path: Path) -> None:
    with program.running(tmp_path / "said", threads=2, workload="classic") as running:
        start, ready = running.events
    said = ("contract", "benchmark", "language", "tier", "threads")
    one_thread = program.language == "javascript" or program.tier == "asyncio"
    assert [start[name] for name in said] == [
        2,
        "key-value",
        program.language,
        program.tier,
        1 if one_thread else 2,
    ]
    assert (ready["event"], ready["host"]) == ("ready", "127.0.0.1")


# ---------------------------------------------------------------- mistakes


def test_a_port_in_use(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        refused = program.refusal(port=port)
    assert f'host "127.0.0.1" port {port} cannot be listened on' in refused


@pytest.mark.parametrize("missing", ["host", "port", "threads", "rows", "workload"])
def test_a_missing_option(program: Program, missing: str) -> None:
    every = service_options(benchmarks()[NAME], {})
    options = [one for one in every if not one.startswith(f"{missing}=")]
    refused = program.mistake(*options)
    assert f"option {missing}=VALUE is missing; ./runfair exec key-value --print shows" in refused
