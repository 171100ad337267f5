"""HTTP/1.1 exchanges on one connection. The caller decides on every byte that is sent."""

from __future__ import annotations

import http.client
import io
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import cast

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
