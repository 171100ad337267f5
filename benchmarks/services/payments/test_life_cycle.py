"""Tests the start, the end and the error messages of every framework's program against
contract.md."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import signal
import socket
import time
from pathlib import Path

import pytest

from runfair.serving.database import PrivateDatabase
from runfair.serving.database_address import parse_address
from runfair.serving.postgresql_session import DatabaseSession
from services.payments.framework_program import (
    ANSWER_LIMIT_S,
    Program,
    Running,
    requests_of,
)

# ---------------------------------------------------------------- what it says


def test_the_start_says_what_was_asked(program: Program, plain: Running) -> None:
    start, ready = plain.events
    said = {"contract", "benchmark", "language", "tier", "threads"}
    assert {name: start[name] for name in said} == {
        "contract": 2,
        "benchmark": "payments",
        "language": program.language,
        "tier": program.tier,
        "threads": 1,
    }
    assert start["effective"]
    assert (ready["event"], ready["host"]) == ("ready", "127.0.0.1")


def test_the_start_says_how_many_threads(full: Running) -> None:
    assert full.events[0]["threads"] == 2


# ---------------------------------------------------------------- the end


def test_the_end_answers_what_is_under_way(
    program: Program, inputs: Path, database: PrivateDatabase, tmp_path: Path
) -> None:
    """The request under way waits for a database lock, because only its duration is under the
    test's control."""
    with (
        program.with_database(database.url).serving(inputs, tmp_path / "said") as running,
        DatabaseSession(parse_address(database.url)) as session,
        running.client() as client,
        concurrent.futures.ThreadPoolExecutor(1) as pool,
    ):
        session.query("BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        waiting = pool.submit(client.ask, "GET", "/order/17")
        wait_until_locked(database)
        running.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            while True:  # until no process listens
                socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
                time.sleep(0.02)
        assert running.process.poll() is None
        session.query("ROLLBACK")
        answer = waiting.result()
        assert (answer.status, json.loads(answer.body)["id"]) == (200, 17)
        running.check_end()


def wait_until_locked(database: PrivateDatabase) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    deadline_s = time.monotonic() + ANSWER_LIMIT_S
    while database.query(waiting) == [("0",)]:
        assert time.monotonic() < deadline_s, "the request does not wait for the lock"
        time.sleep(0.02)


def test_idle_connections_do_not_keep_it(program: Program, inputs: Path, tmp_path: Path) -> None:
    first, *_ = requests_of(inputs, "pay")
    with program.serving(inputs, tmp_path / "said", threads=2) as running:
        address = ("127.0.0.1", running.port)
        with running.client() as client, socket.create_connection(address):
            client.check(first)
            running.end()


# ---------------------------------------------------------------- mistakes


def test_a_port_in_use(program: Program, inputs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        refused = program.refusal(input=inputs / "payments.json", port=port)
    assert f'host "127.0.0.1" port {port} cannot be listened on' in refused


def test_an_input_that_cannot_be_read(program: Program, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    assert f'input "{missing}" cannot be read: ' in program.refusal(input=missing)


def test_an_input_of_something_else(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"processors":[]}')
    assert "other.json" in program.refusal(input=other)


def test_no_input(program: Program) -> None:
    assert "option input=VALUE is missing; " in program.refusal()


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_a_database_that_cannot_be_reached(program: Program, inputs: Path, kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"{kind}://service@127.0.0.1:{port}/payments"
    refused = program.with_database(url).refusal(input=inputs / "payments.json")
    assert "DATABASE_URL" in refused
