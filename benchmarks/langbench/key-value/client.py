"""A client with one connection to a server, for tests."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from types import TracebackType

ANSWER_LIMIT_S = 20.0


class Client:
    """A client that sends given bytes and reads answers one by one."""

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
        """Ends the connection with a reset (RST)."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def ask(self, *words: bytes) -> bytes:
        self.socket.sendall(request(*words))
        return self.answer()

    def answer(self) -> bytes:
        """The bytes of the next answer."""
        line = self._answers.readline()
        kind, length = line[:1], line[1:].strip()
        if kind == b"$" and length != b"-1":
            line += self._answers.read(int(length) + 2)
        if kind == b"*":
            line += b"".join(self.answer() for _ in range(int(length)))
        return line

    def finish(self) -> bytes:
        """Closes the sending half, and reads all remaining answers. The server may reset the
        connection after an error."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while more := self.socket.recv(65536):
                said += more
        return said

    def figures(self) -> dict[str, int]:
        """The lines of INFO whose value is an integer."""
        told = self.ask(b"INFO").decode()
        return {name: int(value) for name, value in re.findall(r"(\w+):(\d+)\r\n", told)}


def request(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)


def conversation(port: int, sent: bytes) -> bytes:
    """All bytes that a server answers to a client that sends this and closes its sending half."""
    with Client(port) as client:
        # A server that refuses the beginning of the input need not read its end.
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            client.socket.sendall(sent)
        return client.finish()
