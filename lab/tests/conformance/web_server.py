"""A web server that keeps every rule of the suite, and liars: the same server with one rule broken.

    python web_server.py DATABASE_URL [LIE]

prints its port. It is small, not fast: a thread and a database session for each connection.
"""

from __future__ import annotations

import io
import json
import random
import re
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from email.utils import formatdate
from html import escape
from queue import SimpleQueue
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

READ = "SELECT id, randomnumber FROM world WHERE id = %s"
READ_ALL = "SELECT id, randomnumber FROM world WHERE id = ANY(%s)"
READ_JSON = (
    "SELECT json_build_object('id', id, 'randomNumber', randomnumber) FROM world WHERE id = %s"
)
READ_ARRAYS = "SELECT array_agg(id), array_agg(randomnumber) FROM world WHERE id = ANY(%s)"
READ_FORTUNES = "SELECT id, message FROM fortune"
READ_ESCAPED = "SELECT id, replace(replace(message, '&', '&amp;'), '<', '&lt;') FROM fortune"
WRITE_ALL = (
    "UPDATE world SET randomnumber = v.r FROM unnest(%s::int[], %s::int[]) v(i, r) WHERE id = v.i"
)
WRITE = "UPDATE world SET randomnumber = %s WHERE id = %s"
ADDED = (0, "Additional fortune added at request time.")
Row = dict[str, int]

LIE = sys.argv[2] if len(sys.argv) > 2 else ""
STARTED = formatdate(usegmt=True)
CACHE: dict[str | int, Any] = {}
SERVED_BEFORE_CLOSE = 100
COMBINED_WITHIN_S = 0.02
UNDER_WAY: list[None] = []  # an entry for each request for updates that is being answered
Rows = list[tuple[Any, ...]]


class Combining:
    """A session that all connections share. It combines the queries of concurrent requests, but
    never two queries of one request.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[str, Sequence[int], Future[Rows]]] = SimpleQueue()
        threading.Thread(target=self._answer, daemon=True).start()

    def rows(self, query: str, *values: int) -> Rows:
        """The rows of one query."""
        answer: Future[Rows] = Future()
        self._asked.put((query, values, answer))
        return answer.result()

    def _answer(self) -> None:
        database = psycopg.connect(sys.argv[1], autocommit=True, prepare_threshold=1)
        while True:
            asked = [self._asked.get()]
            time.sleep(COMBINED_WITHIN_S)
            while not self._asked.empty():
                asked.append(self._asked.get())
            found = self._combined(database, [(query, values) for query, values, _ in asked])
            for (_, _, answer), rows in zip(asked, found, strict=True):
                answer.set_result(rows)

    def _combined(self, database: Any, asked: Sequence[tuple[str, Sequence[int]]]) -> list[Rows]:
        if LIE == "one Sync for concurrent requests":
            with database.pipeline():
                cursors = [database.execute(query, values) for query, values in asked]
            return [cursor.fetchall() for cursor in cursors]
        if LIE == "one read for concurrent requests":
            rows = database.execute(READ_FORTUNES).fetchall()
            return [list(rows) for _ in asked]
        if LIE == "one UPDATE for concurrent requests":
            written = [number for _, values in asked for number in values]
            database.execute(WRITE_ALL, (written[::2], written[1::2]))
            return [[] for _ in asked]
        numbers = [values[0] for _, values in asked]
        known = dict(database.execute(READ_ALL, (numbers,)).fetchall())
        return [[(number, known[number])] for number in numbers]


WRITTEN_LATER: SimpleQueue[tuple[list[int], list[int]]] = SimpleQueue()


def write_later() -> None:
    """Writes rows whose response was sent already."""
    database = psycopg.connect(sys.argv[1], autocommit=True)
    while True:
        database.execute(WRITE_ALL, WRITTEN_LATER.get())


if LIE == "responds before it writes":
    threading.Thread(target=write_later, daemon=True).start()

COMBINING = Combining() if "concurrent requests" in LIE else None


class Handler(socketserver.StreamRequestHandler):
    """One connection."""

    rfile: io.BufferedReader
    wbufsize = 0

    def setup(self) -> None:
        super().setup()
        self.served = 0
        self.held = b""
        self.database = psycopg.connect(sys.argv[1], autocommit=True, prepare_threshold=1)

    def handle(self) -> None:
        while line := self.rfile.readline():
            if LIE == "expects whole requests" and b"\r\n\r\n" not in self.rfile.peek():
                return
            headers = []
            while (header := self.rfile.readline()) not in (b"\r\n", b""):
                headers.append(header.lower())
            last = LIE == "drops pipelined" and self.buffered() > 0
            self.answer(line.split()[1].decode(), b"".join(headers))
            self.served += 1
            if last or (LIE == "closes" and self.served == SERVED_BEFORE_CLOSE):
                return

    def buffered(self) -> int:
        """The number of bytes that have arrived already."""
        self.connection.setblocking(False)
        try:
            return len(self.rfile.peek(1))
        except BlockingIOError:
            return 0
        finally:
            self.connection.setblocking(True)

    def answer(self, target: str, headers: bytes) -> None:
        url = urlsplit(target)
        kind, body = ROUTES[url.path](self.database, parse_qs(url.query, keep_blank_values=True))
        date = STARTED if LIE == "stale date" else formatdate(usegmt=LIE != "no time zone")
        lines = [
            "HTTP/1.1 200 OK",
            f"Content-Type: {'text/html' if LIE == 'wrong type' else kind}",
            f"Content-Length: {len(body)}",
        ]
        if LIE != "no server":
            lines.append("Server: honest")
        if LIE != "no date":
            lines.append(f"Date: {date}")
        if LIE == "compressed" and b"gzip" in headers:
            lines.append("Content-Encoding: gzip")
        response = "\r\n".join([*lines, "", ""]).encode() + body
        if LIE == "swaps pipelined" and not self.held and self.buffered() > 0:
            self.held = response
            return
        self.wfile.write(response + self.held)
        self.held = b""

    def finish(self) -> None:
        self.database.close()
        super().finish()


def plaintext(_: Any, __: Any) -> tuple[str, bytes]:
    return "text/plain", b"Hello, World?" if LIE == "other text" else b"Hello, World!"


def as_json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value).encode()


def hello(_: Any, __: Any) -> tuple[str, bytes]:
    text = {"message": "Hello, World!"}
    return as_json([text] if LIE == "other text" else text)


def count_of(query: dict[str, list[str]]) -> int:
    said = query.get("queries", [""])[0]
    whole = re.match("[+-]?[0-9]+" if LIE == "reads a plus" else "-?[0-9]+", said)
    if not whole or (whole[0] != said and LIE != "reads leading digits"):
        return 0 if LIE == "junk counts" else 1
    count = int(whole[0])
    return max(1, min(count, 100_000 if LIE == "no upper limit" else 500))


def drawn() -> int:
    if LIE == "few ids":
        return random.randrange(1, 10_000, 999)
    return random.randint(1, 6_000 if LIE == "a part of the ids" else 10_000)


def rows_of(database: Any, query: str, *values: int) -> Rows:
    if COMBINING and LIE != "one UPDATE for concurrent requests":
        return COMBINING.rows(query, *values)
    found: Rows = database.execute(query, values).fetchall()
    return found


def one(database: Any) -> Row:
    if LIE == "cached rows":
        number = drawn()
        if number not in CACHE:
            CACHE[number] = database.execute(READ, (number,)).fetchone()
        found = CACHE[number]
    elif LIE == "JSON of the database":
        ((row,),) = rows_of(database, READ_JSON, drawn())
        return dict(row)
    else:
        (found,) = rows_of(database, READ, drawn())
    return {"id": found[0], "randomNumber": found[1]}


def single(database: Any, _: Any) -> tuple[str, bytes]:
    return as_json(one(database))


def many(database: Any, count: int) -> list[Row]:
    numbers = [drawn() for _ in range(count)]
    if LIE == "one IN query":
        found = database.execute(READ_ALL, (numbers,)).fetchall()
        known = dict(found)
        return [{"id": number, "randomNumber": known[number]} for number in numbers]
    if LIE == "one row of arrays":
        ((ids, found),) = database.execute(READ_ARRAYS, (numbers,)).fetchall()
        known = dict(zip(ids, found, strict=True))
        for _ in numbers[1:]:
            database.execute("SELECT 1").fetchall()
        return [{"id": number, "randomNumber": known[number]} for number in numbers]
    if LIE in ("one Sync", "one Sync behind comments"):
        others = READ if LIE == "one Sync" else f"/**/{READ}"
        reads = [READ, *[others] * (count - 1)]
        with database.pipeline():
            cursors = [
                database.execute(read, (number,))
                for read, number in zip(reads, numbers, strict=True)
            ]
        rows = [cursor.fetchone() for cursor in cursors]
        return [{"id": row[0], "randomNumber": row[1]} for row in rows]
    return [one(database) for _ in range(count)]


def queries(database: Any, query: dict[str, list[str]]) -> tuple[str, bytes]:
    return as_json(many(database, count_of(query)))


def updates(database: Any, query: dict[str, list[str]]) -> tuple[str, bytes]:
    UNDER_WAY.append(None)
    rows = many(database, count_of(query))
    alone = len(UNDER_WAY) == 1
    UNDER_WAY.pop()
    for row in rows:
        row["randomNumber"] = random.randint(1, 10_000)
    if LIE == "not written" or (LIE == "loses concurrent updates" and not alone):
        return as_json(rows)
    if LIE == "responds before it writes":
        WRITTEN_LATER.put(([row["id"] for row in rows], [row["randomNumber"] for row in rows]))
    elif COMBINING and LIE == "one UPDATE for concurrent requests":
        COMBINING.rows(WRITE_ALL, *(number for row in rows for number in row.values()))
    elif LIE == "deadlocks":
        with database.transaction():
            for row in rows:
                database.execute(WRITE, (row["randomNumber"], row["id"]))
                time.sleep(0.001)
    else:
        for row in rows:
            database.execute(WRITE, (row["randomNumber"], row["id"]))
    return as_json(rows)


def fortunes(database: Any, _: Any) -> tuple[str, bytes]:
    if LIE == "cached fortunes" and "page" in CACHE:
        return "text/html; charset=utf-8", CACHE["page"]
    read = READ_ESCAPED if LIE == "escaped by the database" else READ_FORTUNES
    if LIE == "sorted by the database":
        read += ' ORDER BY message COLLATE "C"'
    rows = rows_of(database, read)
    if LIE == "a query a fortune":
        read = "SELECT id, message FROM fortune WHERE id = %s"
        rows = [database.execute(read, (number,)).fetchone() for number, _ in rows]
    if LIE != "nothing added":
        rows.append(ADDED)
    if LIE != "not sorted":
        rows.sort(key=lambda row: row[1].encode())
    escaped = LIE in ("not escaped", "escaped by the database")
    write: Callable[[str], str] = str if escaped else escape
    cells = "".join(f"<tr><td>{number}</td><td>{write(text)}</td></tr>" for number, text in rows)
    page = (
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        f"<tr><th>id</th><th>message</th></tr>{cells}</table></body></html>"
    ).encode()
    CACHE["page"] = page
    return "text/html; charset=utf-8", page


ROUTES: dict[str, Callable[[Any, Any], tuple[str, bytes]]] = {
    "/plaintext": plaintext,
    "/json": hello,
    "/db": single,
    "/queries": queries,
    "/updates": updates,
    "/fortunes": fortunes,
}


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


def main() -> None:
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
