"""A client of RESP2, the protocol of Redis and compatible servers (redis.io, protocol
specification).

No library is used, because this code has only forty lines, and a server under test receives exactly
the bytes that it writes.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_LONGEST_LINE = 4096
_MOST_BYTES = 1 << 20
_KINDS_OF_ONE_LINE = (b"+", b":")


class RespError(Exception):
    """The server's own error reply, such as `NOAUTH Authentication required.`"""


class NotResp(Exception):
    """The server at this address speaks another protocol."""

    def __init__(self) -> None:
        super().__init__("it does not speak RESP")


class RespClient:
    """One connection. Commands and answers are texts; bytes that are not UTF-8 are replaced."""

    def __init__(self, connection: socket.socket, answers: BinaryIO) -> None:
        self._connection = connection
        self._answers = answers

    @classmethod
    @contextmanager
    def connected(cls, host: str, port: int, limit_s: float) -> Iterator[RespClient]:
        """Opens a connection that waits at most `limit_s` for each answer. Raises OSError if the
        connection cannot be opened.
        """
        with (
            socket.create_connection((host, port), limit_s) as connection,
            connection.makefile("rb") as answers,
        ):
            yield cls(connection, answers)

    def ask(self, *words: str) -> str:
        """The answer to a command: a simple or bulk string, or an integer's digits. Raises
        RespError if the answer is an error reply, NotResp if the answer is not RESP2, and OSError
        if there is no answer.
        """
        encoded = [word.encode() for word in words]
        parts = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)
        self._connection.sendall(b"*%d\r\n%s" % (len(encoded), parts))
        line = self._answers.readline(_LONGEST_LINE)
        kind, rest = line[:1], line[1:].strip()
        if not line.endswith(b"\r\n"):
            raise NotResp
        if kind == b"-":
            raise RespError(rest.decode(errors="replace"))
        if kind in _KINDS_OF_ONE_LINE:
            return rest.decode(errors="replace")
        if kind != b"$" or not rest.isdigit() or int(rest) > _MOST_BYTES:
            raise NotResp
        return self._answers.read(int(rest) + 2)[:-2].decode(errors="replace")
