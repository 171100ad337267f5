"""A small client of PostgreSQL's protocol 3.0 (its manual, chapter 55): what the lab itself asks.

One session, simple queries, COPY into a table. Everything comes as text. Passwords go as clear
text, MD5 or SCRAM-SHA-256, whichever the server asks for. Services bring their own drivers.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import ssl
import struct
from collections.abc import Iterable, Iterator
from types import TracebackType

from runfair.serving.database_address import DatabaseAddress
from runfair.serving.postgresql_scram import MECHANISM, ScramBroken, ScramClient

ANSWER_LIMIT_S = 10.0

_PROTOCOL = 196608  # 3.0
_SSL_REQUEST = 80877103
# libpq's own limit for what comes before a session is established: more is another protocol.
_STARTUP_BYTES = 30_000
_MOST_BYTES = 1 << 30

Row = tuple[str | None, ...]


class ServerError(Exception):
    """The server's ErrorResponse; `code` is its SQLSTATE (the manual, appendix A)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SessionLost(Exception):
    """The connection broke, or was never there."""


class NotPostgresql(SessionLost):
    """Something answers there, in another language."""


class AuthenticationUnknown(SessionLost):
    """The server wants to know who we are in a way that this client has not."""


class PasswordWanted(SessionLost):
    """The server asks for a password, and there is none."""


class DatabaseSession:
    """One session, open from the beginning; a context manager.

    Raises SessionLost where there is no getting through, ServerError where the server refuses;
    a session that raised SessionLost is of no further use. `parameters` are what the server
    reports of itself (`server_version`).
    """

    def __init__(self, address: DatabaseAddress, *, limit_s: float = ANSWER_LIMIT_S) -> None:
        self.parameters: dict[str, str] = {}
        self._address = address
        self._longest_bytes = _STARTUP_BYTES
        self._received = bytearray()
        with contextlib.ExitStack() as opened, _losses():
            self._socket = opened.enter_context(_connected(address, limit_s))
            if address.encryption != "disable" and not address.is_socket:
                self._socket = opened.enter_context(self._encrypted())
            self._start()
            opened.pop_all()
        self._longest_bytes = _MOST_BYTES

    def query(self, sql: str) -> list[Row]:
        """The rows of a statement; of the last one that has any, if there are several."""
        return self._results(b"Q", sql.encode() + b"\0")

    def copy_in(self, sql: str, parts: Iterable[bytes]) -> None:
        """COPY … FROM STDIN with the parts as its text; on any error the table stays as it was."""
        with _losses():
            self._send(b"Q", sql.encode() + b"\0")
            kind, body = self._receive()
            if kind == b"G":
                for part in parts:
                    self._send(b"d", part)
                self._send(b"c", b"")
            failure = _error(body) if kind == b"E" else None
            self._read_results(failure)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._send(b"X", b"")
        self._socket.close()

    def __enter__(self) -> DatabaseSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _encrypted(self) -> socket.socket:
        """The connection within TLS, if the server has it; it may only be without if the address
        allows that."""
        self._socket.sendall(struct.pack("!ii", 8, _SSL_REQUEST))
        answer = self._socket.recv(1)
        if answer == b"S":
            context = ssl.create_default_context()
            context.check_hostname = self._address.encryption == "verify-full"
            if not self._address.encryption.startswith("verify"):
                context.verify_mode = ssl.CERT_NONE  # as libpq: require encrypts and trusts
            return context.wrap_socket(self._socket, server_hostname=self._address.host)
        if answer not in (b"N", b"E", b""):
            raise NotPostgresql("it does not speak PostgreSQL's protocol")
        if answer == b"":
            raise SessionLost("it closed the connection")
        if self._address.encryption != "prefer":
            raise SessionLost(f"it has no TLS, which sslmode={self._address.encryption} asks for")
        return self._socket

    def _start(self) -> None:
        told = {
            "user": self._address.user,
            "database": self._address.database,
            "client_encoding": "UTF8",
            "application_name": "runfair",
        }
        body = b"".join(f"{name}\0{value}\0".encode() for name, value in told.items()) + b"\0"
        self._socket.sendall(struct.pack("!ii", len(body) + 8, _PROTOCOL) + body)
        scram: ScramClient | None = None
        while True:
            kind, body = self._receive()
            if kind == b"E":
                raise _error(body)
            if kind == b"Z":
                return
            if kind == b"K":  # the key for cancelling, which this client never does
                continue
            if kind != b"R" or len(body) < 4:
                raise NotPostgresql("it does not speak PostgreSQL's protocol")
            scram = self._authenticate(int.from_bytes(body[:4], "big"), body[4:], scram)

    def _authenticate(
        self, method: int, data: bytes, scram: ScramClient | None
    ) -> ScramClient | None:
        """One step of what the manual's 55.2.1 lists."""
        if method == 0:  # let in
            if scram is not None:
                raise ScramBroken("the server did not show that it knows the password")
            return None
        if method == 12 and scram is not None:
            scram.verify(data)
            return None
        if method == 11 and scram is not None:
            self._send(b"p", scram.final(data))
            return scram
        if method not in (3, 5, 10):
            raise AuthenticationUnknown(f"it asks for authentication of kind {method}")
        if self._address.password is None:
            raise PasswordWanted("it asks for a password")
        if method == 10:
            if MECHANISM.encode() not in data.split(b"\0"):
                offered = data.replace(b"\0", b" ").decode(errors="replace").strip()
                raise AuthenticationUnknown(f"it asks for authentication by {offered}")
            scram = ScramClient(self._address.password)
            first = scram.first()
            self._send(b"p", MECHANISM.encode() + struct.pack("!xi", len(first)) + first)
            return scram
        password = self._address.password
        if method == 5:
            inner = hashlib.md5((password + self._address.user).encode()).hexdigest()
            password = "md5" + hashlib.md5(inner.encode() + data[:4]).hexdigest()
        self._send(b"p", password.encode() + b"\0")
        return None

    def _results(self, kind: bytes, body: bytes) -> list[Row]:
        with _losses():
            self._send(kind, body)
            return self._read_results(None)

    def _read_results(self, failure: ServerError | None) -> list[Row]:
        """Up to ReadyForQuery; the first error is raised there, where the next query may go."""
        rows: list[Row] = []
        while True:
            kind, body = self._receive()
            if kind == b"T":
                rows = []
            elif kind == b"D":
                rows.append(tuple(_columns(body)))
            elif kind == b"E":
                failure = failure or _error(body)
            elif kind == b"G":
                self._send(b"f", b"no data\0")
            elif kind == b"Z":
                if failure is not None:
                    raise failure
                return rows

    def _send(self, kind: bytes, body: bytes) -> None:
        self._socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def _receive(self) -> tuple[bytes, bytes]:
        """The next message that is not a notice, a notification or a parameter."""
        while True:
            head = self._take(5)
            kind, length = head[:1], int.from_bytes(head[1:], "big") - 4
            if not 0 <= length <= self._longest_bytes:
                raise NotPostgresql("it does not speak PostgreSQL's protocol")
            body = self._take(length)
            if kind == b"S":
                name, value, _ = (body.decode(errors="replace") + "\0\0").split("\0", 2)
                self.parameters[name] = value
            elif kind not in (b"A", b"N"):
                return kind, body

    def _take(self, size: int) -> bytes:
        while len(self._received) < size:
            part = self._socket.recv(1 << 16)
            if not part:
                raise SessionLost("it closed the connection")
            self._received += part
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken


@contextlib.contextmanager
def _losses() -> Iterator[None]:
    """What the system says of a connection, as SessionLost with the words of one line."""
    try:
        yield
    except TimeoutError:
        raise SessionLost("it does not answer in time") from None
    except ssl.SSLError as error:
        raise SessionLost(f"TLS: {error.reason or error}") from None
    except socket.gaierror as error:
        raise SessionLost(f"there is no such host: {error.strerror}") from None
    except ScramBroken as error:
        raise AuthenticationUnknown(str(error)) from None
    except OSError as error:
        raise SessionLost(f"{error.strerror or error}") from None


def _connected(address: DatabaseAddress, limit_s: float) -> socket.socket:
    if address.is_socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(limit_s)
        with contextlib.ExitStack() as opened:
            opened.enter_context(connection)
            connection.connect(f"{address.host}/.s.PGSQL.{address.port}")
            opened.pop_all()
        return connection
    connection = socket.create_connection((address.host, address.port), timeout=limit_s)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _error(body: bytes) -> ServerError:
    """ErrorResponse and NoticeResponse: fields of a letter and a text."""
    parts = [part.decode(errors="replace") for part in body.split(b"\0") if part]
    told = {part[0]: part[1:] for part in parts}
    return ServerError(told.get("C", ""), told.get("M", "it gives no reason"))


def _columns(body: bytes) -> Iterator[str | None]:
    count, at = int.from_bytes(body[:2], "big"), 2
    for _ in range(count):
        length = int.from_bytes(body[at : at + 4], "big", signed=True)
        at += 4
        if length < 0:
            yield None
        else:
            yield body[at : at + length].decode(errors="replace")
            at += length
