"""A rule of a web suite, the service that it is checked on, and the HTTP/1.1 exchanges with this
service. The caller decides on every byte that is sent."""

from __future__ import annotations

import http.client
import io
import json
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException
from types import TracebackType
from typing import Any, cast

from runfair.conformance.statement_tap import StatementTap
from runfair.serving.postgresql_session import ServerError, SessionLost

ANSWER_LIMIT_S = 20.0


@dataclass(frozen=True)
class Answer:
    """A response that was read completely."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The value of a header; the empty string if it is missing."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class _Stream(io.BufferedReader):
    """The connection's stream for http.client. The stream stays open when a response ends, because
    the next response follows on the same connection.
    """

    def close(self) -> None:
        return

    def makefile(self, _mode: str) -> _Stream:
        """The method that http.client requires of a socket."""
        return self


class Connection:
    """A connection to a service, as a context manager. Raises OSError or HTTPException if the
    service does not answer, or does not speak HTTP.
    """

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), timeout=ANSWER_LIMIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._raw = self._socket.makefile("rb", buffering=0)
        self._stream = _Stream(self._raw)
        self._host = f"{host}:{port}"

    def request(self, path: str, headers: Sequence[str] = ()) -> bytes:
        """The bytes of a GET request. `headers` are additional lines."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._host}", *headers, "", ""]
        return "\r\n".join(lines).encode("ascii")

    def send(self, data: bytes) -> None:
        """Sends bytes immediately."""
        self._socket.sendall(data)

    def answer(self) -> Answer:
        """Reads the next response."""
        response = http.client.HTTPResponse(cast(socket.socket, self._stream), method="GET")
        response.begin()
        body = response.read()
        return Answer(response.status, response.getheaders(), body)

    def get(self, path: str, headers: Sequence[str] = ()) -> Answer:
        """Sends a GET request and reads the answer."""
        self.send(self.request(path, headers))
        return self.answer()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._raw.close()
        self._socket.close()


Rows = Sequence[tuple[str | None, ...]]


class Broken(Exception):
    """A rule is not kept. The text says what was observed."""


@dataclass(frozen=True)
class Service:
    """A service under test. `query` runs SQL on its database, and `tap` observes what the service
    sends to the database. A service without a database has neither `query` nor `tap`.
    """

    host: str
    port: int
    query: Callable[[str], Rows] | None = None
    tap: StatementTap | None = None

    def connection(self) -> Connection:
        """A new connection to the service."""
        return Connection(self.host, self.port)

    def database(self) -> tuple[Callable[[str], Rows], StatementTap]:
        """The service's database and the tap. Only rules of workloads with a database may use
        it."""
        assert self.query is not None
        assert self.tap is not None
        return self.query, self.tap


_CLIENTS, _ROUNDS = 8, 3


def answers_at_once(service: Service, path: str) -> list[Answer]:
    """The answers to concurrent requests: in each round, every client sends its request before any
    answer is read. A service that combines the queries of concurrent requests does so here, but
    not if it gets one request after another.
    """
    found = []
    with ExitStack() as stack:
        clients = [stack.enter_context(service.connection()) for _ in range(_CLIENTS)]
        for _ in range(_ROUNDS):
            for client in clients:
                client.send(client.request(path))
            found += [client.answer() for client in clients]
    return found


@dataclass(frozen=True)
class Rule:
    """A rule. `check` raises Broken if a service does not keep it."""

    name: str
    check: Callable[[Service], None]

    def broken_by(self, service: Service) -> str:
        """A text that says how the service breaks the rule; empty if the service keeps the rule."""
        try:
            self.check(service)
        except Broken as seen:
            return f"{self.name}: {seen}"
        except (OSError, HTTPException) as error:
            return (
                f"{self.name}: the service sent no complete response "
                f"({error or type(error).__name__})"
            )
        except (SessionLost, ServerError) as error:
            return f"{self.name}: a query of runfair to the service's database failed ({error})"
        return ""


def require(holds: bool, otherwise: str) -> None:
    """Raises Broken with the text if the condition is false."""
    if not holds:
        raise Broken(otherwise)


def json_of(answer: Answer) -> Any:
    """The body of a good answer as JSON. Raises Broken if the answer is not good or not JSON."""
    require(answer.status == 200, f"status {answer.status}")
    try:
        return json.loads(answer.body)
    except ValueError:
        raise Broken(
            f"the body of the response must be JSON, but it is {answer.body[:80]!r}"
        ) from None
