"""One connection to a server, as the tests need it."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from types import TracebackType

ANSWER_LIMIT_S = 20.0


class Client:
    """Sends what it is told, and reads answers one by one."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), ANSWER_LIMIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self.socket.makefile("rb")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._answers.close()
        self.socket.close()

    def reset(self) -> None:
        """An end that the server hears of by RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def ask(self, *words: bytes) -> bytes:
        self.socket.sendall(request(*words))
        return self.answer()

    def answer(self) -> bytes:
        """The next answer as it stands."""
        line = self._answers.readline()
        kind, length = line[:1], line[1:].strip()
        if kind == b"$" and length != b"-1":
            line += self._answers.read(int(length) + 2)
        if kind == b"*":
            line += b"".join(self.answer() for _ in range(int(length)))
        return line

    def finish(self) -> bytes:
        """Half-closes, and reads what is still said. A server that has had enough may reset."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while more := self.socket.recv(65536):
                said += more
        return said

    def figures(self) -> dict[str, int]:
        """INFO's lines that hold an integer."""
        told = self.ask(b"INFO").decode()
        return {name: int(value) for name, value in re.findall(r"(\w+):(\d+)\r\n", told)}


def request(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)


def conversation(port: int, sent: bytes) -> bytes:
    """All that is said to a client who sends this and half-closes."""
    with Client(port) as client:
        # A server that refuses the beginning need not take the end.
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            client.socket.sendall(sent)
        return client.finish()
