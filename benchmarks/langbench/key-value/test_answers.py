"""Tests the answers of every program against contract.md, by conversations written by hand and by a
model of the contract."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .client import Client, conversation, request
from .conversations import SHORT_BYTES, conversations, fuzzed
from .model import Model
from .program import Program, Running

CONVERSATIONS = [pytest.param(*each, id=each[0]) for each in conversations()]


@pytest.fixture
def emptied(server: Running) -> Running:
    with server.client() as client:
        assert client.ask(b"FLUSHALL") == b"+OK\r\n"
    return server


@pytest.mark.parametrize(("name", "sent", "answered"), CONVERSATIONS)
def test_the_model_says_what_was_written_by_hand(name: str, sent: bytes, answered: bytes) -> None:
    assert Model(rows=7).converse(sent) == answered, name


@pytest.mark.parametrize(("name", "sent", "answered"), CONVERSATIONS)
def test_conversations(emptied: Running, name: str, sent: bytes, answered: bytes) -> None:
    assert conversation(emptied.port, sent) == answered, name


def test_conversations_byte_by_byte(emptied: Running) -> None:
    """Each byte is sent in its own packet, so the server rarely reads a whole request at once."""
    for name, sent, answered in conversations():
        if len(sent) <= SHORT_BYTES:
            with emptied.client() as client:
                client.ask(b"FLUSHALL")
            with emptied.client() as client:
                for at in range(len(sent)):
                    try:
                        client.socket.send(sent[at : at + 1])
                    except (BrokenPipeError, ConnectionResetError):
                        break  # the server has closed the connection after an error
                assert client.finish() == answered, name


def test_a_request_in_two_parts(emptied: Running) -> None:
    """The complete requests in the first part are answered before the second part is sent."""
    first, second = request(b"SET", b"key\r\n", b"\0value"), request(b"GET", b"key\r\n")
    whole = first + second
    with emptied.client() as client:
        for at in range(1, len(whole)):
            client.socket.sendall(whole[:at])
            if at >= len(first):
                assert client.answer() == b"+OK\r\n"
            client.socket.sendall(whole[at:])
            if at < len(first):
                assert client.answer() == b"+OK\r\n"
            assert client.answer() == b"$6\r\n\0value\r\n"


def test_malformed_requests(emptied: Running) -> None:
    for sent, answered in fuzzed():
        with emptied.client() as client:
            client.ask(b"FLUSHALL")
        assert conversation(emptied.port, sent) == answered, sent
    with emptied.client() as client:
        assert client.ask(b"PING") == b"+PONG\r\n"


def test_info(program: Program, server: Running) -> None:
    with server.client() as client:
        client.ask(b"FLUSHALL")
        length, *lines = client.ask(b"INFO").decode().split("\r\n")
        before = client.figures()
        client.ask(b"SET", b"key", b"value")
        client.ask(b"GET", b"key")
        client.ask(b"GET", b"none")
        client.ask(b"UNKNOWN")
        after = client.figures()
        told = client.ask(b"INFO", b"everything").decode()
    assert length == f"${len(chr(10).join(lines)) + len(lines) - 3}"
    fixed = [line for line in lines if not line.startswith(("total_", "keyspace_", "evicted_"))]
    assert fixed == [
        "# Server",
        "redis_version:0.0.0",
        "server_name:runfair-key-value",
        f"language:{program.language}",
        "rows:7",
        "capacity_bytes:0",
        "",
        "# Stats",
        "",
        "# Keyspace",
        "",
        "",
    ]
    assert told.endswith("# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0\r\n\r\n")
    assert "# Runfair" not in told
    grown = {name: after[name] - before[name] for name in before}
    assert {name: more for name, more in grown.items() if more} == {
        "total_commands_processed": 5,
        "keyspace_hits": 1,
        "keyspace_misses": 1,
    }


def test_info_tells_of_connections_that_are_still_open(server: Running) -> None:
    with server.client() as asking, server.client() as other:
        before = asking.figures()["keyspace_misses"]
        for _ in range(3):
            other.ask(b"GET", b"none")
        assert asking.figures()["keyspace_misses"] == before + 3


# ---------------------------------------------------------------- work


def carry_out(client: Client, model: Model, seed: int, keys: int, longest_bytes: int) -> None:
    """Sends random commands, and checks that every answer is the model's answer."""
    generator = random.Random(seed)
    for _ in range(2000):
        key = b"key:%d" % generator.randrange(keys)
        value = generator.randbytes(generator.randint(0, longest_bytes))
        kinds = ("SET", "SET", "GET", "GET", "DEL", "EXISTS")
        words = [generator.choice(kinds).encode(), key]
        if words[0] == b"SET":
            words.append(value)
        assert client.ask(*words) == model.answer(words)


@pytest.mark.parametrize(
    ("rows", "capacity_bytes", "keys", "longest_bytes"),
    [(1, 0, 30, 20), (64, 0, 100, 100), (16, 400, 40, 60), (64, 64, 40, 64), (3, 1, 9, 2)],
)
def test_counted_work(
    counting: Program,
    tmp_path: Path,
    rows: int,
    capacity_bytes: int,
    keys: int,
    longest_bytes: int,
) -> None:
    model = Model(rows, capacity_bytes)
    options = {"rows": rows, "capacity_bytes": capacity_bytes, "count": 1}
    with counting.running(tmp_path / "said", **options) as running:
        with running.client() as client:
            carry_out(client, model, 3, keys, longest_bytes)
            assert client.ask(b"DEBUG", b"DIGEST") == b"+%016x\r\n" % model.digest()
            figures = client.figures()
        running.end()
    assert model.chain_steps > 0
    assert (model.evictions > 0) == (capacity_bytes > 0)
    assert {name: figures[name] for name in model.counted()} == model.counted()


def test_locality(program: Program, tmp_path: Path) -> None:
    said = tmp_path / "said"
    with program.running(said, rows=7, addresses=1) as running, running.client() as client:
        if program.language == "javascript" or program.tier == "plain":
            assert b"# Locality" not in client.ask(b"INFO")
            return
        nothing = client.figures()
        client.ask(b"SET", b"alone", b"")
        assert client.figures()["pairs"] == 0
        for number in range(999):
            client.ask(b"SET", b"%d" % number, bytes(64))
        told = client.figures()
    assert ("collections" in told) == (program.language in ("go", "java", "python"))
    names = [name for name in told if "distance" in name]
    assert len(names) == 6
    assert [nothing[name] for name in ("pairs", *names)] == 7 * [0]
    # All nodes except the first of each row follow another node.
    assert told["pairs"] == 1000 - 7
    most, next_most = told["frequent_distance_pairs"], told["next_frequent_distance_pairs"]
    assert 1 <= next_most <= most
    assert most + next_most + told["different_distances"] - 2 <= told["pairs"]
    # A node contains at least three references, and no node lies inside another.
    shortest = min(told["frequent_distance_bytes"], told["next_frequent_distance_bytes"])
    assert min(told["median_distance_bytes"], shortest) >= 3 * 4


@pytest.mark.parametrize(
    ("own", "rows", "capacity_bytes"),
    [
        ({"keys": 512}, 512, 0),
        ({"workload": "spread", "keys": 512}, 512, 0),
        ({"keys": 513}, 1024, 0),
        ({"keys": 1}, 1, 0),
        ({"workload": "classic", "keys": 5000}, 1024, 0),
        ({"workload": "classic", "rows": 1000003}, 1000003, 0),
        ({"workload": "capped", "keys": 7, "value_bytes": 9}, 1024, 47),
        ({"workload": "capped", "capacity_bytes": 99}, 1024, 99),
        ({"keys": 512, "capacity_bytes": 2147483647}, 512, 2147483647),
    ],
    ids=str,
)
def test_a_workload_says_rows_and_capacity(
    program: Program, tmp_path: Path, own: dict[str, int | str], rows: int, capacity_bytes: int
) -> None:
    with program.running(tmp_path / "said", **own) as running, running.client() as client:
        told = client.figures()
    assert (told["rows"], told["capacity_bytes"]) == (rows, capacity_bytes)
