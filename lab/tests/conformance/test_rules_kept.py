"""The honest server keeps every rule; each liar breaks the rule that it lies about."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runfair.conformance.rule import Rows, Rule, Service
from runfair.conformance.rules_kept import broken_rules, rules_of
from runfair.conformance.statement_tap import StatementTap
from runfair.errors import UserMistake
from runfair.formats.service import WebTest
from runfair.machine.launching import Launcher
from runfair.paths import BENCHMARKS
from runfair.serving.database import PrivateDatabase
from runfair.serving.postgresql_server import find_binaries
from runfair.serving.postgresql_session import ServerError, SessionLost
from runfair.serving.postgresql_template import Table

SERVER = Path(__file__).with_name("web_server.py")
GENERATOR = BENCHMARKS / "web/techempower/canonical.py"
TESTS: list[WebTest] = [
    "plaintext",
    "json",
    "single-query",
    "multiple-queries",
    "updates",
    "fortunes",
]
# A lie, a test in which the server tells it, and the rule that must catch it.
LIES: list[tuple[str, WebTest, str]] = [
    ("no server", "plaintext", "headers"),
    ("no date", "plaintext", "headers"),
    ("wrong type", "json", "headers"),
    ("other text", "plaintext", "headers"),
    ("other text", "json", "headers"),
    ("compressed", "json", "no compression"),
    ("stale date", "plaintext", "date"),
    ("no time zone", "plaintext", "date"),
    ("drops pipelined", "plaintext", "pipelining"),
    ("swaps pipelined", "single-query", "pipelining"),
    ("swaps pipelined", "multiple-queries", "pipelining"),
    ("swaps pipelined", "updates", "pipelining"),
    ("swaps pipelined", "fortunes", "pipelining"),
    ("expects whole requests", "plaintext", "split packets"),
    ("closes", "json", "keep-alive"),
    ("few ids", "single-query", "rows of the table"),
    ("a part of the ids", "single-query", "rows of the table"),
    ("cached rows", "single-query", "rows of the table"),
    ("junk counts", "multiple-queries", "query counts"),
    ("reads leading digits", "multiple-queries", "query counts"),
    ("reads a plus", "multiple-queries", "query counts"),
    ("no upper limit", "multiple-queries", "query counts"),
    ("one IN query", "multiple-queries", "one query a row"),
    ("one row of arrays", "multiple-queries", "one query a row"),
    ("JSON of the database", "single-query", "one query a row"),
    ("one Sync", "multiple-queries", "a Sync for each query"),
    ("one Sync behind comments", "multiple-queries", "a Sync for each query"),
    ("one Sync", "updates", "a Sync for each query"),
    ("one Sync for concurrent requests", "single-query", "a Sync for each query"),
    ("one Sync for concurrent requests", "multiple-queries", "a Sync for each query"),
    ("one Sync for concurrent requests", "updates", "a Sync for each query"),
    ("one Sync for concurrent requests", "fortunes", "a Sync for each query"),
    ("one IN query for concurrent requests", "single-query", "one query a row"),
    ("one IN query for concurrent requests", "multiple-queries", "one query a row"),
    ("one IN query for concurrent requests", "updates", "one query a row"),
    ("one UPDATE for concurrent requests", "updates", "one query a row"),
    ("one read for concurrent requests", "fortunes", "one query a request"),
    ("one IN query", "updates", "one query a row"),
    ("not written", "updates", "written to the table"),
    ("responds before it writes", "updates", "written to the table"),
    ("deadlocks", "updates", "concurrent updates"),
    ("loses concurrent updates", "updates", "concurrent updates"),
    ("cached fortunes", "fortunes", "not cached"),
    ("a query a fortune", "fortunes", "one query a request"),
    ("sorted by the database", "fortunes", "one query a request"),
    ("escaped by the database", "fortunes", "one query a request"),
    ("nothing added", "fortunes", "fortunes of the table"),
    ("not sorted", "fortunes", "fortunes of the table"),
    ("not escaped", "fortunes", "fortunes of the table"),
]
# Lies of which the broken rule may be a missing response.
UNANSWERED = {"drops pipelined", "expects whole requests", "closes", "deadlocks"}


@pytest.fixture(scope="module")
def database(
    launcher: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PrivateDatabase]:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))
    inputs = tmp_path_factory.mktemp("inputs")
    write = [sys.executable, str(GENERATOR), "--seed=1", "--rows=10000", f"--folder={inputs}"]
    subprocess.run(write, check=True)
    tables = [
        Table("world", "id int, randomnumber int not null", ["id"], inputs / "world.csv"),
        Table("fortune", "id int, message text not null", ["id"], inputs / "fortune.csv"),
    ]
    with PrivateDatabase.start(
        launcher,
        processors=sorted(os.sched_getaffinity(0)),
        tables=tables,
        folder=tmp_path_factory.mktemp("database"),
    ) as database:
        yield database


@contextlib.contextmanager
def served(database: PrivateDatabase, lie: str = "") -> Iterator[Service]:
    with StatementTap(database.address) as tap:
        command = [sys.executable, str(SERVER), tap.url, lie]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            try:
                assert process.stdout is not None
                port = int(process.stdout.readline())
                yield Service("127.0.0.1", port, database.query, tap)
            finally:
                process.kill()


@pytest.mark.parametrize("test", TESTS)
def test_an_honest_server_keeps_every_rule(database: PrivateDatabase, test: WebTest) -> None:
    with served(database) as service:
        assert broken_rules(service, rules_of(test)) == []


@pytest.mark.parametrize(("lie", "test", "name"), LIES)
def test_a_liar_is_caught(database: PrivateDatabase, lie: str, test: WebTest, name: str) -> None:
    with served(database, lie) as service:
        told = rule(test, name).broken_by(service)
    assert told.startswith(f"{name}: ")
    # A liar that has broken down would also be reported.
    assert lie in UNANSWERED or "no complete response" not in told


def test_only_a_service_that_does_not_pipeline_may_state_so(database: PrivateDatabase) -> None:
    stated = rules_of("single-query", pipelined=False)
    with served(database, "drops pipelined") as service:
        assert broken_rules(service, stated) == []
    with served(database) as service:
        assert broken_rules(service, stated) == [
            "no pipelining: program.toml states `without_pipelining`, but the service answers "
            "pipelined requests; remove `without_pipelining` from this file"
        ]


def test_a_server_that_is_gone_breaks_rules() -> None:
    gone = Service("127.0.0.1", 1)
    assert (
        rule("json", "headers").broken_by(gone).startswith("headers: the service sent no complete")
    )


@pytest.mark.parametrize(
    "error", [SessionLost("it closed the connection"), ServerError("40P01", "deadlock detected")]
)
@pytest.mark.parametrize("failing", ["SELECT id", "BEGIN", "SELECT count"])
def test_a_failed_query_of_runfair_fails_the_rule(
    database: PrivateDatabase, failing: str, error: Exception
) -> None:
    def query(sql: str) -> Rows:
        if sql.startswith(failing):
            raise error
        return database.query(sql)

    with served(database) as service:
        told = rule("updates", "written to the table").broken_by(replace(service, query=query))
    assert told == (
        f"written to the table: a query of runfair to the service's database failed ({error})"
    )


def test_every_rule_has_a_liar() -> None:
    caught = {name for _, _, name in LIES}
    every = {rule.name for test in TESTS for rule in rules_of(test)}
    assert every == caught


def rule(test: WebTest, name: str) -> Rule:
    (found,) = (one for one in rules_of(test) if one.name == name)
    return found
