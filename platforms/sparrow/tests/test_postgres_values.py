"""Tests of the values that go to PostgreSQL and come back, as texts and as bytes."""

from __future__ import annotations

import select
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Database, Run, Told


def test_values_of_every_type_go_there_and_back(told: Told) -> None:
    (row, again, types) = told(
        "const sql = `SELECT $1::int AS i, $2::int8::text AS b, $3::float8 AS f, $4::text AS t,\n"
        "  $5::bool AS yes, $6::jsonb AS j, $7::text AS nothing, $8::text[]::text AS list,\n"
        "  $9::timestamptz = '2020-01-02T03:04:05Z' AS at`;\n"
        "const values = [-5, 9007199254740993n, 1.5, 'h\u00fc\\u20ac', true, { a: [1] }, null,\n"
        "  ['x\"y', null], new Date(Date.UTC(2020, 0, 2, 3, 4, 5))];\n"
        "tell((await db.query(sql, values))[0]);\n"
        "tell((await db.query(sql, values))[0]);\n"
        "const other = \"SELECT 5::int8 AS n, 'inf'::float8 AS f, $1::bytea AS x\";\n"
        "const [row] = await db.query(other, [new Uint8Array([0, 255])]);\n"
        "tell([typeof row.n, String(row.n), String(row.f), [...row.x]]);",
    )
    assert row == {
        "i": -5,
        "b": "9007199254740993",
        "f": 1.5,
        "t": "h\u00fc\u20ac",
        "yes": True,
        "j": {"a": [1]},
        "nothing": None,
        "list": '{"x\\"y",NULL}',
        "at": True,
    }
    assert again == row  # by the statement that was prepared
    assert types == ["bigint", "5", "Infinity", [0, 255]]


def test_bytes_are_the_same_in_every_form(told: Told) -> None:
    (texts,) = told(
        "const { buffer } = new Uint8Array([92, 0, 97, 255]);\n"
        "const given = [buffer, new DataView(buffer), [buffer, new Uint16Array(buffer)]];\n"
        "tell((await db.query('SELECT $1::bytea::text AS a, $2::bytea::text AS b,\\n'\n"
        "  + '$3::bytea[]::text AS c', given))[0]);",
    )
    hexadecimal = "\\x5c0061ff"
    assert texts == {
        "a": hexadecimal,
        "b": hexadecimal,
        "c": f'{{"\\{hexadecimal}","\\{hexadecimal}"}}',
    }


def test_bytes_are_read_as_the_server_writes_them(told: Told) -> None:
    (given, *read) = told(
        "const every = Uint8Array.from({ length: 256 }, (_, i) => i);\n"
        "tell([...every]);\n"
        "for (const form of ['hex', 'escape']) {\n"
        "  await db.query(`SET bytea_output = ${form}`);\n"
        "  const [{ bytes }] = await db.query(`SELECT $1::bytea AS bytes, '${form}'`, [every]);\n"
        "  tell([...bytes]);\n"
        "}",
    )
    assert read == [given, given]


class Relay:
    """A connection to a server, whose client's bytes are kept."""

    def __init__(self, port: int) -> None:
        self.sent = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.server = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=self.forward, daemon=True).start()

    def forward(self) -> None:
        client, _ = self.listener.accept()
        with client, self.server, self.listener:
            ends = [client, self.server]
            while True:
                for end in select.select(ends, [], [])[0]:
                    part = end.recv(65536)
                    if not part:
                        return
                    if end is client:
                        self.sent += part
                    (self.server if end is client else client).sendall(part)

    def binds(self) -> list[bytes]:
        """The content of each Bind message, behind the names."""
        found, at = [], int.from_bytes(self.sent[:4], "big")
        while at < len(self.sent):
            end = at + 1 + int.from_bytes(self.sent[at + 1 : at + 5], "big")
            if self.sent[at : at + 1] == b"B":
                found.append(self.sent[at + 5 : end].split(b"\0", 2)[2])
            at = end
        return found


def test_numbers_and_bytes_are_binary_once_their_types_are_known(
    run: Run, database: Database
) -> None:
    relay = Relay(database.port)
    text = ["ARRAY[1]", "1.1::float4", "'h\u00fc'::text"]
    binary = ["-3::int2", "-100000::int4", "4294967295::oid", "-9007199254740993::int8", "true"]
    binary += [
        "'-0.1'::float8",
        "'NaN'::float8",
        "'-inf'::float8",
        "NULL::int",
        "$1::bytea",
        "$2::int",
    ]
    columns = ", ".join(f"{column} AS c{at}" for at, column in enumerate([*text, *binary]))
    done = run(
        "import { connect } from 'sparrow:postgres';\n"
        f"const url = 'postgresql://owner@127.0.0.1:{relay.port}/postgres?sslmode=disable';\n"
        "const db = await connect(url, { connections: 1 });\n"
        "for (let i = 0; i < 2; i++) {\n"
        f"  const [row] = await db.query(`SELECT {columns}`, [new Uint8Array([0, 92, 255]), 7]);\n"
        "  console.log(Object.values(row));\n"
        "}\n"
        "db.close();"
    )
    shown = (
        '["{1}", 1.1, "h\u00fc", -3, -100000, 4294967295, -9007199254740993n, true, -0.1, NaN, '
        "-Infinity, null, Uint8Array(3) [0, 92, 255], 7]"
    )
    unfolded = done.stdout.replace("\n  ", " ").replace("[ ", "[").replace("\n]", "]")
    assert unfolded == f"{shown}\n{shown}\n", done.stderr
    parameters = b"\0\2\0\1\0\0\0\2" + (3).to_bytes(4, "big") + b"\0\x5c\xff" + b"\0\0\0\1" + b"7"
    formats = [0] * len(text) + [1] * len(binary)
    numbers = [len(formats), *formats]
    asked = b"".join(number.to_bytes(2, "big") for number in numbers)
    assert relay.binds() == [parameters + b"\0\0", parameters + asked]


def test_more_values_than_the_protocol_can_count_are_refused(told: Told) -> None:
    (failed,) = told(
        "tell(await failure(db.query('SELECT 1', Array(65536).fill(1))));",
    )
    assert isinstance(failed, dict)
    assert failed["message"] == "a query can have at most 65535 values"
