"""The lab's own session with a PostgreSQL, through psycopg. Services use their own drivers."""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TypeVar

import psycopg
from psycopg import pq
from psycopg.abc import PQGen

from runfair.serving.database_address import DatabaseAddress

ANSWER_LIMIT_S = 10.0

Row = tuple[str | None, ...]
T = TypeVar("T")

# SQLSTATEs of a server that refuses a session (the manual, appendix A). Before a session is open,
# libpq gives only the server's message; these patterns match the English ones.
NOT_AUTHORISED, NO_DATABASE, NOT_YET, TOO_MANY = "28000", "3D000", "57P03", "53300"
_REFUSALS = {
    NO_DATABASE: re.compile(r'^database ".*" does not exist'),
    NOT_AUTHORISED: re.compile(
        r"authentication failed|role .* does not exist|no pg_hba.conf entry"
    ),
    NOT_YET: re.compile(r"^the database system is "),
    TOO_MANY: re.compile(r"too many (?:clients|connections)|remaining connection slots"),
}
_REFUSED = re.compile(r"FATAL: +")
_OTHER_PROTOCOL = re.compile(
    r"received invalid response to SSL negotiation|expected authentication request from server"
)
_CLOSED = re.compile(r"server closed the connection unexpectedly")
# No password file is read, because services would not get the password from it.
_NO_PASSWORD_FILE = os.devnull + "/none"


class ServerError(Exception):
    """The server's own error; `code` is its SQLSTATE (the manual, appendix A), if it is known."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SessionLost(Exception):
    """The connection broke, or could not be opened."""


class NotPostgresql(SessionLost):
    """The server at this address does not speak PostgreSQL's protocol."""


class PasswordWanted(SessionLost):
    """The server asks for a password, and none is known."""


class _Connection(psycopg.Connection[tuple[object, ...]]):
    """A connection that waits at most `limit_s` for each answer."""

    limit_s: float = ANSWER_LIMIT_S

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Waits as psycopg's own function does, but at most for a limited time. Raises
        ConnectionTimeout, because psycopg's own exception has no public name.
        """
        try:
            return super().wait(gen, interval, self.limit_s if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:
            raise psycopg.errors.ConnectionTimeout(
                "the database did not answer a query in time"
            ) from None


class DatabaseSession:
    """One session, used as a context manager. The session is open from its creation on. `version`
    is the server's version.

    Raises SessionLost if no connection is possible, ServerError if the server refuses. After
    SessionLost the session cannot be used any more.
    """

    def __init__(self, address: DatabaseAddress, *, limit_s: float = ANSWER_LIMIT_S) -> None:
        try:
            self._connection = _Connection.connect(
                host=address.host,
                port=address.port,
                user=address.user,
                dbname=address.database,
                password=address.password or "",
                passfile=_NO_PASSWORD_FILE,
                sslmode=address.encryption,
                gssencmode="disable",
                client_encoding="UTF8",
                application_name="runfair",
                connect_timeout=math.ceil(limit_s),  # 2 s is the shortest time that libpq can wait
                autocommit=True,
                prepare_threshold=None,
            )
        except psycopg.Error as error:
            raise _unreached(error, address) from None
        self._connection.limit_s = limit_s
        self.version = self._connection.info.parameter_status("server_version") or "unknown"

    def query(self, sql: str) -> list[Row]:
        """The rows of a statement, as texts. If there are several statements, the rows of the last
        statement that returns any.
        """
        rows: list[Row] = []
        with self._errors():
            cursor = self._connection.execute(sql.encode())
            while True:
                result = cursor.pgresult
                if result is not None and result.status == pq.ExecStatus.TUPLES_OK:
                    rows = [_texts(result, number) for number in range(result.ntuples)]
                if not cursor.nextset():
                    return rows

    def copy_in(self, sql: str, parts: Iterable[bytes]) -> None:
        """Loads a table (COPY … FROM STDIN) from the parts of a text. After an error the table is
        unchanged.
        """
        with self._errors(), self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for part in parts:
                copy.write(part)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> DatabaseSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns psycopg's errors into SessionLost if the session is closed, otherwise into
        ServerError.
        """
        try:
            yield
        except psycopg.Error as error:
            if error.sqlstate is None or self._connection.closed:
                self.close()
                raise SessionLost(_line(error)) from None
            raise ServerError(error.sqlstate, error.diag.message_primary or _line(error)) from None


def _unreached(error: psycopg.Error, address: DatabaseAddress) -> ServerError | SessionLost:
    """The error for a session that could not be opened, from libpq's message."""
    line = _line(error)
    if error.pgconn is not None and error.pgconn.needs_password:
        return PasswordWanted("it asks for a password")
    if _REFUSED.match(line):
        words = _REFUSED.sub("", line, count=1)
        known = (code for code, pattern in _REFUSALS.items() if pattern.search(words))
        return ServerError(next(known, ""), words)
    if _OTHER_PROTOCOL.search(line):
        return NotPostgresql("the server does not use PostgreSQL's protocol")
    if "does not support SSL" in line:
        return SessionLost(f"the server has no TLS, but sslmode={address.encryption} requires TLS")
    return SessionLost(line)


def _line(error: psycopg.Error) -> str:
    """The part of an error's first line that says what happened."""
    if isinstance(error, psycopg.errors.ConnectionTimeout):
        return "the server did not answer in time"
    line = next(iter(str(error).splitlines()), type(error).__name__)
    said = re.split(r"\b(?:failed|bad): +", line)[-1]
    return "it closed the connection" if _CLOSED.search(said) else said


def _texts(result: pq.abc.PGresult, row: int) -> Row:
    values = (result.get_value(row, column) for column in range(result.nfields))
    return tuple(None if value is None else value.decode(errors="replace") for value in values)
