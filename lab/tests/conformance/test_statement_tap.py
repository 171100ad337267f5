"""The tap sees what passes, however the bytes are cut; and forwards all of it."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading

from hypothesis import given
from hypothesis import strategies as st

from runfair.conformance.statement_tap import Executed, Seen, StatementTap, _Session, values
from runfair.serving.database_address import DatabaseAddress

SQL = "SELECT id FROM world WHERE id = $1"


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def startup(code: int, body: bytes = b"") -> bytes:
    return struct.pack("!II", len(body) + 8, code) + body


def executed(portal: bytes = b"") -> bytes:
    bind = message(b"B", portal + b"\0read\0" + b"\0" * 6)
    return bind + message(b"E", portal + b"\0" + b"\0" * 4)


READY = message(b"Z", b"I")
# A number as text, a NULL, and the same number in binary.
ROW = struct.pack("!Hi2siii", 3, 2, b"17", -1, 4, 17)
CLIENT = b"".join(
    [
        startup(80877103),  # asks for TLS
        startup(3 << 16, b"user\0service\0\0"),
        message(b"P", b"read\0" + SQL.encode() + b"\0\0\0"),
        message(b"S"),
        executed() + message(b"S"),
        executed(b"one") + executed(b"two") + message(b"S"),
        message(b"Q", b"BEGIN; UPDATE world SET id = id;\0"),
        message(b"X"),
    ]
)
SERVER = b"".join(
    [
        b"N",  # no TLS
        message(b"R", b"\0" * 4),
        READY,
        READY,  # the Sync after Parse
        *([message(b"D", ROW)] * 3),
        message(b"C", b"SELECT 3\0"),
        READY,
        message(b"C", b"SELECT 0\0"),
        message(b"C", b"SELECT 0\0"),
        READY,
        message(b"C", b"BEGIN\0"),
        message(b"C", b"UPDATE 10\0"),
        READY,
    ]
)
GROUPS = [["SELECT"], ["SELECT", "SELECT"], ["UPDATE"]]
EXECUTED = [
    Executed("SELECT", (ROW,) * 3, 3),
    *([Executed("SELECT", (), 0)] * 2),
    Executed("BEGIN", (), 0),
    Executed("UPDATE", (), 10),
]


@given(st.lists(st.integers(1, 40)))
def test_messages_are_understood_however_they_are_cut(cuts: list[int]) -> None:
    seen = Seen()
    session = _Session(seen.sync_groups.append, seen.executed.append)
    for data, take in ((CLIENT, session.from_client), (SERVER, session.from_server)):
        start = 0
        for length in [*cuts, len(data)]:
            take(data[start : start + length])
            start += length
    assert seen.sync_groups == GROUPS
    assert seen.executed == EXECUTED
    assert seen.most_in_a_sync == 2
    assert seen.queries_of("UPDATE") == [Executed("UPDATE", (), 10)]
    assert values(seen.executed[0].sent[0]) == [b"17", b"", b"\0\0\0\x11"]


def test_a_query_of_which_only_some_rows_are_asked_counts() -> None:
    seen = Seen()
    session = _Session(seen.sync_groups.append, seen.executed.append)
    session.from_client(startup(3 << 16, b"user\0service\0\0"))
    session.from_server(message(b"D", ROW) + message(b"s") + READY)
    assert seen.sync_groups == [["SELECT"]]
    assert seen.executed == [Executed("SELECT", (ROW,), 1)]


def test_rows_before_an_error_are_not_of_the_next_statement() -> None:
    seen = Seen()
    session = _Session(seen.sync_groups.append, seen.executed.append)
    session.from_client(startup(3 << 16, b"user\0service\0\0"))
    session.from_server(message(b"D", ROW) + message(b"E", b"\0") + READY)
    session.from_server(message(b"C", b"SELECT 0\0") + READY)
    assert seen.executed == [Executed("SELECT", (), 0)]


def test_it_forwards_both_ways_and_forgets() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_answer, args=(server,), daemon=True).start()
        database = DatabaseAddress("127.0.0.1", server.getsockname()[1], "u", "d")
        with (
            StatementTap(database) as tap,
            socket.create_connection(("127.0.0.1", tap.port), timeout=20) as client,
        ):
            assert tap.url == f"postgresql://u@127.0.0.1:{tap.port}/d"
            client.sendall(CLIENT)
            received = b""
            while len(received) < len(SERVER):
                received += client.recv(1 << 16)
            assert received == SERVER
            assert tap.seen.executed == EXECUTED
            assert tap.seen.sync_groups == GROUPS
            tap.forget()
            assert tap.seen == Seen()


def test_it_closes_connections_to_a_database_that_has_ended() -> None:
    with socket.socket() as ended:
        # Nobody listens on this port, and no other process can get it.
        ended.bind(("127.0.0.1", 0))
        database = DatabaseAddress("127.0.0.1", ended.getsockname()[1], "u", "d")
        with StatementTap(database) as tap:
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", tap.port), timeout=20) as client:
                    assert client.recv(1) == b""


def _answer(server: socket.socket) -> None:
    """Answers as SERVER does, once everything of the client has arrived."""
    with contextlib.suppress(OSError), server.accept()[0] as connection:
        received = b""
        while len(received) < len(CLIENT):
            received += connection.recv(1 << 16)
        connection.sendall(SERVER)
        connection.recv(1)
