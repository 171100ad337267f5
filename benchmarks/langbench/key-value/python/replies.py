"""Answers in RESP2."""

from __future__ import annotations

import socket
from typing import List, Optional, Sequence

MOST_KEPT_BYTES = 65536
OK = b"+OK\r\n"
NULL = b"$-1\r\n"


def simple(text: str) -> bytes:
    return b"+%b\r\n" % text.encode()


def error(text: bytes) -> bytes:
    return b"-%b\r\n" % text.replace(b"\r", b" ").replace(b"\n", b" ")


def integer(value: int) -> bytes:
    return b":%d\r\n" % value


def bulk(value: Optional[bytes]) -> bytes:
    return NULL if value is None else b"$%d\r\n%b\r\n" % (len(value), value)


def array(values: Sequence[bytes]) -> bytes:
    return b"*%d\r\n%b" % (len(values), b"".join(map(bulk, values)))


class Replies:
    """The answers to a connection. The answers are kept until there are enough, or until the
    connection must wait for its next bytes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._kept: List[bytes] = []
        self._kept_bytes = 0

    def add(self, reply: bytes) -> None:
        self._kept.append(reply)
        self._kept_bytes += len(reply)
        if self._kept_bytes >= MOST_KEPT_BYTES:
            self.send()

    def send(self) -> None:
        if self._kept:
            self._connection.sendall(b"".join(self._kept))
            self._kept.clear()
            self._kept_bytes = 0
