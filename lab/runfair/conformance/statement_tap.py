"""A tap between a service and PostgreSQL. The tap shows which statements were executed, which rows
each returned, and which executions shared a Sync (PostgreSQL manual, 55.2 and 55.7, protocol 3.0).
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from runfair.formats.place import LOOPBACK
from runfair.serving.database_address import DatabaseAddress

_PART_BYTES = 1 << 16
# Requests in place of a startup message. Each is answered by a single byte (55.2.10 and 55.2.11).
_ENCRYPTION_REQUESTS = {80877103, 80877104}
# The tags of the commands that the rules concern. Transactions and settings are not queries.
# The server tags WITH by its main command, EXECUTE by the prepared one, and VALUES as SELECT.
_QUERIES = {"SELECT", "UPDATE", "INSERT", "DELETE", "MERGE"}


@dataclass(frozen=True)
class Executed:
    """A command that the server completed: its tag (such as `SELECT` or `UPDATE`), the DataRow
    messages that it returned, and the number in its tag.
    """

    verb: str
    sent: tuple[bytes, ...]
    rows: int

    @property
    def rows_sent(self) -> int:
        return len(self.sent)


def values(row: bytes) -> list[bytes]:
    """The values of a DataRow message, in text or binary format. NULL is empty."""
    (count,) = struct.unpack_from("!H", row)
    found, start = [], 2
    for _ in range(count):
        (length,) = struct.unpack_from("!i", row, start)
        start += 4
        found.append(row[start : start + max(0, length)])
        start += max(0, length)
    return found


@dataclass
class Seen:
    """The record of a tap. `sync_groups` has, for each Sync or simple query, the tags of the
    queries that the server completed since the previous Sync or simple query.
    """

    executed: list[Executed] = field(default_factory=list)
    sync_groups: list[list[str]] = field(default_factory=list)

    def queries_of(self, verb: str) -> list[Executed]:
        """The completed commands with one tag."""
        return [one for one in self.executed if one.verb == verb]

    @property
    def most_in_a_sync(self) -> int:
        """The largest number of queries that shared a Sync."""
        return max(map(len, self.sync_groups), default=0)


class StatementTap:
    """Listens on a free port and forwards each connection to the database; a context manager.
    `seen` has the statements since the last `forget`. The sessions end when the tap ends.
    """

    def __init__(self, database: DatabaseAddress) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._seen = Seen()
        self._sockets: list[socket.socket] = []
        self._listening = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listening.getsockname()[1]

    @property
    def url(self) -> str:
        """The database's URL through the tap."""
        user, name = self._database.user, self._database.database
        return f"postgresql://{user}@{LOOPBACK}:{self.port}/{name}"

    def forget(self) -> None:
        """Deletes the record of statements."""
        with self._lock:
            self._seen = Seen()

    @property
    def seen(self) -> Seen:
        """The statements since the last `forget`."""
        with self._lock:
            groups = [list(group) for group in self._seen.sync_groups]
            return Seen(list(self._seen.executed), groups)

    def __enter__(self) -> StatementTap:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            for one in (self._listening, *self._sockets):
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # the tap has ended
                return
            try:
                server = socket.create_connection((self._database.host, self._database.port))
            except OSError:  # the database has ended, so the service must not wait for it
                client.close()
                continue
            session = _Session(self._note_group, self._note_executed)
            with self._lock:
                self._sockets += [client, server]
            for source, target, parse in (
                (client, server, session.from_client),
                (server, client, session.from_server),
            ):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=_forward, args=(source, target, parse), daemon=True).start()

    def _note_group(self, group: list[str]) -> None:
        with self._lock:
            self._seen.sync_groups.append(group)

    def _note_executed(self, executed: Executed) -> None:
        with self._lock:
            self._seen.executed.append(executed)


def _forward(source: socket.socket, target: socket.socket, parse: Callable[[bytes], None]) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_PART_BYTES):
            # A message is recorded before it is forwarded, so that a statement is always in the
            # record before its answer arrives.
            parse(data)
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


class _Session:
    """The messages of one session. Only the server says which commands were executed: the text of
    a statement can hide them behind a comment or PREPARE.
    """

    def __init__(
        self, on_group: Callable[[list[str]], None], on_executed: Callable[[Executed], None]
    ) -> None:
        self._on_group, self._on_executed = on_group, on_executed
        self._client, self._server = bytearray(), bytearray()
        self._started = False
        self._single_bytes: deque[None] = deque()
        self._group: list[str] = []
        self._rows: list[bytes] = []

    def from_client(self, data: bytes) -> None:
        """Parses bytes from the client, until the session has started."""
        if self._started:
            return
        self._client += data
        while not self._started and len(self._client) >= 8:
            length, code = struct.unpack_from("!II", self._client)
            if len(self._client) < length:
                return
            del self._client[:length]
            if code in _ENCRYPTION_REQUESTS:
                self._single_bytes.append(None)
            else:
                self._started = True

    def from_server(self, data: bytes) -> None:
        """Parses bytes from the server."""
        self._server += data
        while self._single_bytes and self._server:
            self._single_bytes.popleft()
            del self._server[:1]
        for kind, body in _messages(self._server):
            if kind == b"D":
                self._rows.append(body)
            elif kind == b"C":
                self._completed(body)
            elif kind == b"s":  # the client asked for fewer rows than there are
                self._executed("SELECT", len(self._rows))
            elif kind == b"Z":
                self._end_group()

    def _end_group(self) -> None:
        self._rows = []  # those of a statement that ended with an error
        if self._group:
            self._on_group(self._group)
            self._group = []

    def _completed(self, body: bytes) -> None:
        words = body.rstrip(b"\0").decode("ascii", "replace").split()
        rows = int(words[-1]) if words[-1].isdigit() else 0
        self._executed(words[0], rows)

    def _executed(self, tag: str, rows: int) -> None:
        if tag in _QUERIES:
            self._group.append(tag)
        self._on_executed(Executed(tag, tuple(self._rows), rows))
        self._rows = []


def _messages(buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
    """The complete messages in the buffer, which are removed from it."""
    while len(buffer) >= 5:
        (length,) = struct.unpack_from("!I", buffer, 1)
        if len(buffer) < 1 + length:
            return
        kind, body = bytes(buffer[:1]), bytes(buffer[5 : 1 + length])
        del buffer[: 1 + length]
        yield kind, body
