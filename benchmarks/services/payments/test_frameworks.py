"""Every framework's program against contract.md, from outside, by the canonical form."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.workshop import surroundings
from runfair.catalogue.runtime import variants
from runfair.catalogue.service import service_benchmarks
from runfair.catalogue.version import at_least
from runfair.errors import UserMistake
from runfair.formats.variant import Artefact, Variant
from runfair.machine import native
from runfair.machine.launching import Launcher
from runfair.paths import REPOSITORY
from runfair.serving.database import PrivateDatabase, Table
from runfair.serving.postgresql_address import parse_address
from runfair.serving.postgresql_binaries import find_binaries
from runfair.serving.postgresql_wire import DatabaseSession
from services.payments.canonical import write

SERVICE = service_benchmarks()["payments"]
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((REPOSITORY / "schemas" / "program.schema.json").read_text())
)
# Their builds compile every dependency, which takes about a minute.
COMPILED = ("axum", "beast", "net-http")
ORDERS = 1000
START_LIMIT_S = 60
# The contract's 5 s, with room for a busy machine.
END_LIMIT_S = 10
ANSWER_LIMIT_S = 20

Event = dict[str, Any]
Request = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int
    type: str
    length: str | None
    body: bytes

    def error(self) -> str:
        """What a failure says; every answer is JSON."""
        assert self.type.partition(";")[0] == "application/json"
        said = json.loads(self.body)
        assert list(said) == ["error"]
        return str(said["error"])


class Client:
    """One connection, kept alive for as long as the service keeps it."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_LIMIT_S)

    def ask(self, method: str, path: str, body: str | None = None) -> Answer:
        headers = {} if body is None else {"content-type": "application/json"}
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        return Answer(
            response.status,
            response.getheader("content-type", ""),
            response.getheader("content-length"),
            content,
        )

    def check(self, request: Request) -> None:
        answer = self.ask(request["method"], request["path"], request.get("body"))
        expected = request["expect"]
        assert answer.status == expected["status"]
        assert hashlib.sha256(answer.body).hexdigest() == expected["body_sha256"], answer.body
        assert answer.type.partition(";")[0] == "application/json"
        assert answer.length == str(len(answer.body))

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[bytes]
    events: list[Event]
    said: Path

    @property
    def port(self) -> int:
        return int(self.events[-1]["port"])

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        with contextlib.closing(Client(self.port)) as client:
            yield client

    def end(self) -> None:
        """SIGTERM, and all that the contract promises of the end."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(END_LIMIT_S) == 0
        *_, last = events_of(self.said)
        assert last == {"event": "end", "iterations": 0}


@dataclass(frozen=True)
class Program:
    framework: str
    language: str
    artefact: Artefact
    folder: Path

    def command(self, *options: str) -> list[str]:
        return [*self.artefact.command, "--input", str(self.folder / "payments.json"), *options]

    def spawn(self, command: list[str], said: int, errors: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=surroundings(self.artefact.environment),
            cwd=self.artefact.directory,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
        )

    @contextlib.contextmanager
    def running(self, said: Path, *options: str) -> Iterator[Running]:
        errors = said.with_suffix(".errors")
        with said.open("wb") as output, errors.open("wb") as error:
            process = self.spawn(self.command(*options), output.fileno(), error.fileno())
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            while b'"ready"' not in said.read_bytes():
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < deadline_s, "is not ready"
                time.sleep(0.02)
            yield Running(process, events_of(said), said)
        finally:
            process.kill()
            process.wait()

    def mistake(self, command: list[str]) -> str:
        """The one line that the user is told."""
        process = self.spawn(command, subprocess.PIPE, subprocess.PIPE)
        try:
            said, errors = process.communicate(timeout=START_LIMIT_S)
        finally:
            process.kill()
        assert process.returncode == 2, errors.decode()
        assert said == b""
        assert errors.startswith(b"payments: ")
        assert errors.count(b"\n") == 1
        assert errors.endswith(b"\n")
        return errors.decode()


def events_of(said: Path) -> list[Event]:
    """The lines, each of which the schema allows."""
    events = [json.loads(line) for line in said.read_bytes().splitlines()]
    for event in events:
        SCHEMA.validate(event)
    return events


def variant_of(framework: str) -> Variant | None:
    """One that is ready: the usual one of the language, or else of the framework's families."""
    text = SERVICE.framework(framework).text
    ready = [
        variant
        for variant in variants()
        if variant.family in text.families
        and variant.state == "ready"
        and at_least(variant.version, text.minimum or "0")
    ]
    families = text.families.index
    return min(ready, key=lambda each: (not each.default, families(each.family)), default=None)


@functools.cache
def artefact_of(framework: str) -> Artefact:
    variant = variant_of(framework)
    if variant is None:
        pytest.skip(f"no runtime for {framework} here")
    try:
        return build(variant, SERVICE.framework(framework).source)
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("payments")
    write(folder, seed=7, records=100, requests=50, orders=ORDERS)
    return folder


@pytest.fixture(scope="session")
def database(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateDatabase]:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))
    launcher = Launcher(native.build_native(native.LAUNCHER))
    (text,) = SERVICE.text.tables
    table = Table(text.name, text.columns, text.primary_key, inputs / text.rows)
    with PrivateDatabase.start(
        launcher,
        processors=sorted(os.sched_getaffinity(0)),
        tables=[table],
        folder=tmp_path_factory.mktemp("database"),
    ) as database:
        yield database


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.long] if name in COMPILED else [])
        for name in SERVICE.frameworks
    ],
)
def program(request: pytest.FixtureRequest, inputs: Path) -> Program:
    name = str(request.param)
    language = SERVICE.framework(name).text.language
    return Program(name, language, artefact_of(name), inputs)


@pytest.fixture(scope="module")
def plain(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service without a database."""
    said = tmp_path_factory.mktemp("plain") / "said"
    with program.running(said, "--workload", "route", "--seed", "7", "--size", "tiny") as running:
        yield running


@pytest.fixture(scope="module")
def full(
    program: Program, database: PrivateDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service with a database, on two threads."""
    said = tmp_path_factory.mktemp("full") / "said"
    options = ("--threads", "2", "--param", f"database={database.url}", "--param", "connections=4")
    with program.running(said, *options) as running:
        yield running


def requests_of(folder: Path, workload: str) -> list[Request]:
    lines = (folder / f"{workload}.jsonl").read_text().splitlines()
    assert len(lines) == 50
    return [json.loads(line) for line in lines]


# ---------------------------------------------------------------- what it says


def test_the_start_says_what_was_asked(program: Program, plain: Running) -> None:
    start, ready = plain.events
    said = {"benchmark", "language", "tier", "workload", "size", "seed", "threads"}
    assert {name: start[name] for name in said} == {
        "benchmark": "payments",
        "language": program.language,
        "tier": program.framework,
        "workload": "route",
        "size": "tiny",
        "seed": 7,
        "threads": 1,
    }
    assert start["effective"]
    assert (ready["event"], ready["host"]) == ("ready", "127.0.0.1")


def test_the_first_workload_is_the_default(full: Running) -> None:
    assert full.events[0]["workload"] == SERVICE.text.default_workload
    assert full.events[0]["threads"] == 2


# ---------------------------------------------------------------- right answers


@pytest.mark.parametrize("workload", ["pay", "route"])
def test_every_request_has_its_one_right_answer(
    plain: Running, inputs: Path, workload: str
) -> None:
    with plain.client() as client:
        for request in requests_of(inputs, workload):
            client.check(request)


def test_every_order_is_the_row_of_the_table(full: Running, inputs: Path) -> None:
    with full.client() as client:
        for request in requests_of(inputs, "order"):
            client.check(request)


def test_two_threads_answer_connections_side_by_side(full: Running, inputs: Path) -> None:
    mixed = [each for name in ("pay", "route", "order") for each in requests_of(inputs, name)]

    def ask_all() -> int:
        with full.client() as client:
            for request in mixed:
                client.check(request)
        return len(mixed)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answered = [pool.submit(ask_all) for _ in range(8)]
        assert sum(future.result() for future in answered) == 8 * len(mixed)


def test_only_quotes_and_backslashes_are_escaped(plain: Running) -> None:
    merchant = 'a "quoted" \\ <b> & c/d'
    asked = {"card": "4000", "merchant": merchant, "currency": "EUR"}
    with plain.client() as client:
        answer = client.ask("POST", "/pay/7", json.dumps(asked))
    assert json.loads(answer.body)["merchant"] == merchant
    escaped = merchant.replace("\\", "\\\\").replace('"', '\\"').encode()
    assert b'"merchant":"' + escaped + b'"' in answer.body


# ---------------------------------------------------------------- wrong requests

PAYMENT = {"card": "4000123412341234", "merchant": "m-00042", "currency": "EUR"}
ROUTING = {"amount": 12345, "country": "DE", "card": "4000123412341234"}
ARABIC_FIVE = "%D9%A5"


@pytest.mark.parametrize(
    "amount",
    ["0", "1000000000001", "9" * 30, "-5", "+5", "5.0", "1e3", "five", "0x5", "%205", ARABIC_FIVE],
)
def test_an_amount_is_decimal_digits_in_range(plain: Running, amount: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", f"/pay/{amount}", json.dumps(PAYMENT))
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize("amount", ["1", "1000000000000", "007"])
def test_an_amount_at_the_ends_of_its_range_is_taken(plain: Running, amount: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", f"/pay/{amount}", json.dumps(PAYMENT))
    assert (answer.status, json.loads(answer.body)["amount"]) == (200, int(amount))


OTHER_TYPES: list[Any] = [4000, None, True, [], {}]
NOT_OBJECTS = ["", "{", "null", "7", "[]", '"text"', "{}"]


@pytest.mark.parametrize(
    "body",
    [
        *NOT_OBJECTS,
        json.dumps(PAYMENT) + "}",
        json.dumps(PAYMENT)[:-1],
        *(json.dumps({k: v for k, v in PAYMENT.items() if k != left}) for left in PAYMENT),
        *(json.dumps(PAYMENT | {"card": card}) for card in OTHER_TYPES),
        json.dumps(PAYMENT | {"currency": 7}),
        json.dumps(PAYMENT | {"merchant": None}),
    ],
)
def test_a_payment_lacks_nothing(plain: Running, body: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/pay/5", body)
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize(
    "body",
    [
        *NOT_OBJECTS,
        *(json.dumps({k: v for k, v in ROUTING.items() if k != left}) for left in ROUTING),
        *(
            json.dumps(ROUTING | {"amount": amount})
            for amount in (0, -1, 10**9 + 1, 10**30, 1.5, "5", None, True)
        ),
        *(
            json.dumps(ROUTING | {"card": card})
            for card in ("", "400012341234123", "40001234123412345", "400012341234123x", 4000, None)
        ),
        json.dumps(ROUTING | {"country": 49}),
    ],
)
def test_a_routing_lacks_nothing(plain: Running, body: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/route", body)
    assert answer.status == 400
    assert answer.error()


def test_a_country_that_nobody_serves(plain: Running) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/route", json.dumps(ROUTING | {"country": "XX"}))
    assert (answer.status, answer.error()) == (404, "no processor")


@pytest.mark.parametrize("identifier", ["0", "-1", "+1", "9223372036854775808", "1x", ARABIC_FIVE])
def test_an_order_id_is_decimal_digits_in_range(full: Running, identifier: str) -> None:
    with full.client() as client:
        answer = client.ask("GET", f"/order/{identifier}")
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize("identifier", [ORDERS + 1, 2**53 + 1, 2**63 - 1])
def test_an_order_that_is_not_there(full: Running, identifier: int) -> None:
    with full.client() as client:
        answer = client.ask("GET", f"/order/{identifier}")
    assert (answer.status, answer.error()) == (404, "no order")


def test_without_a_database_there_are_no_orders(plain: Running) -> None:
    with plain.client() as client:
        answer = client.ask("GET", "/order/1")
    assert answer.status == 503
    assert answer.error()


@pytest.mark.parametrize("path", ["/", "/pay", "/pay/5/6", "/routes", "/route/5", "/favicon.ico"])
def test_other_paths_are_not_found(plain: Running, path: str) -> None:
    with plain.client() as client:
        assert client.ask("GET", path).status == 404
        # Last, for a server may close a connection on which a body came that it did not want.
        assert client.ask("POST", path, json.dumps(PAYMENT)).status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/pay/5"), ("PUT", "/route"), ("GET", "/route"), ("DELETE", "/order/5")],
)
def test_other_methods_are_refused(plain: Running, method: str, path: str) -> None:
    with plain.client() as client:
        assert client.ask(method, path).status in (404, 405)


def test_a_wrong_request_leaves_the_next_one_right(plain: Running, inputs: Path) -> None:
    first, *_ = requests_of(inputs, "pay")
    with plain.client() as client:
        for method, path, body in (
            ("POST", "/pay/0", "{"),
            ("POST", "/route", ""),
            ("GET", "/", None),
        ):
            assert client.ask(method, path, body).status in (400, 404)
            client.check(first)


# ---------------------------------------------------------------- the end


def test_the_end_answers_what_is_under_way(
    program: Program, database: PrivateDatabase, tmp_path: Path
) -> None:
    """The one request whose length is ours to say: one that waits for a lock."""
    said = tmp_path / "said"
    with (
        program.running(said, "--param", f"database={database.url}") as running,
        DatabaseSession(parse_address(database.url)) as session,
        running.client() as client,
        concurrent.futures.ThreadPoolExecutor(1) as pool,
    ):
        session.query("BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        waiting = pool.submit(client.ask, "GET", "/order/17")
        wait_until_locked(database)
        running.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            while True:  # until nobody listens any more
                socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
                time.sleep(0.02)
        assert running.process.poll() is None
        session.query("ROLLBACK")
        answer = waiting.result()
        assert (answer.status, json.loads(answer.body)["id"]) == (200, 17)
        assert running.process.wait(END_LIMIT_S) == 0
        assert events_of(said)[-1] == {"event": "end", "iterations": 0}


def wait_until_locked(database: PrivateDatabase) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    deadline_s = time.monotonic() + ANSWER_LIMIT_S
    while database.query(waiting) == [("0",)]:
        assert time.monotonic() < deadline_s, "the request does not wait for the lock"
        time.sleep(0.02)


def test_idle_connections_do_not_keep_it(program: Program, inputs: Path, tmp_path: Path) -> None:
    first, *_ = requests_of(inputs, "pay")
    with program.running(tmp_path / "said", "--threads", "2") as running:
        address = ("127.0.0.1", running.port)
        with running.client() as client, socket.create_connection(address):
            client.check(first)
            running.end()


# ---------------------------------------------------------------- mistakes


def test_a_port_in_use(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert port in program.mistake(program.command("--port", port))


def test_an_input_that_cannot_be_read(program: Program, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.json")
    assert "missing.json" in program.mistake([*program.artefact.command, "--input", missing])


def test_an_input_of_something_else(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"processors":[]}')
    assert "other.json" in program.mistake([*program.artefact.command, "--input", str(other)])


def test_no_input(program: Program) -> None:
    assert "--input" in program.mistake(program.artefact.command)


def test_a_database_that_cannot_be_reached(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"postgresql://service@127.0.0.1:{port}/payments"
    assert "database" in program.mistake(program.command("--param", f"database={url}"))


@pytest.mark.parametrize(
    "options",
    [
        ("--prot", "80"),
        ("--port", "65536"),
        ("--port",),
        ("--threads", "0"),
        ("--workload", "refund"),
        ("--param", "connections=0"),
        ("--param", "pool=5"),
        ("--param", "database=mysql://service@127.0.0.1:1/payments"),
    ],
)
def test_a_mistaken_option(program: Program, options: tuple[str, ...]) -> None:
    mistake = program.mistake(program.command(*options))
    # The option, or the parameter, that it is about.
    assert options[0] in mistake or options[-1].partition("=")[0] in mistake
