"""Requests in RESP2, read from the bytes of a connection."""

from __future__ import annotations

import socket
from typing import Callable, List, Optional

RECEIVED_AT_ONCE_BYTES = 16384  # the same limit as in Redis
PIECE_BYTES = 1 << 20
MOST_LINE_BYTES = 65536
MOST_WORDS = 1 << 20
MOST_REQUEST_BYTES = 512_000_000
MOST_DIGITS = 10


class ProtocolError(Exception):
    """The client sent bytes that are not a request. The message says why."""


def number(text: bytes) -> Optional[int]:
    digits = text[1:] if text.startswith(b"-") else text
    if digits.isdigit() and len(digits) <= MOST_DIGITS:
        return int(text)
    return None


class Requests:
    """The requests of a connection, one after another.

    `before_waiting` is called before the connection must wait for more bytes.
    """

    def __init__(self, connection: socket.socket, before_waiting: Callable[[], None]) -> None:
        self._connection = connection
        self._before_waiting = before_waiting
        self._bytes = b""
        self._at = 0

    def next(self) -> List[bytes]:
        """Read the words of the next request. Raises ProtocolError, and EOFError at the end."""
        if self._at == len(self._bytes):
            self._more()
        if self._bytes[self._at] != ord("*"):
            line = self._line("too big inline request")
            return [word for word in line.replace(b"\t", b" ").split(b" ") if word]
        count = number(self._line("too big mbulk count string")[1:])
        if count is None or count > MOST_WORDS:
            raise ProtocolError("invalid multibulk length")
        left = MOST_REQUEST_BYTES
        words = []
        for _ in range(count):
            line = self._line("too big bulk count string")
            if not line.startswith(b"$"):
                first = line[:1].decode("latin-1").replace("\r", " ") or " "
                raise ProtocolError(f"expected '$', got '{first}'")
            length = number(line[1:])
            if length is None or not 0 <= length <= left:
                raise ProtocolError("invalid bulk length")
            left -= length
            words.append(self._word(length))
        return words

    def _line(self, too_big: str) -> bytes:
        end = self._bytes.find(b"\n", self._at)
        while end < 0 and len(self._bytes) - self._at <= MOST_LINE_BYTES:
            self._more()
            end = self._bytes.find(b"\n", self._at)
        if not 0 <= end - self._at <= MOST_LINE_BYTES:
            raise ProtocolError(too_big)
        line = self._bytes[self._at : end]
        self._at = end + 1
        return line[:-1] if line.endswith(b"\r") else line

    def _word(self, length: int) -> bytes:
        word = self._take(length)
        if self._take(2) != b"\r\n":
            raise ProtocolError("expected CRLF after bulk")
        return word

    def _take(self, length: int) -> bytes:
        end = self._at + length
        if end <= len(self._bytes):
            taken = self._bytes[self._at : end]
            self._at = end
            return taken
        pieces = [self._bytes[self._at :]]
        missing = end - len(self._bytes)
        self._at = len(self._bytes)
        while missing >= RECEIVED_AT_ONCE_BYTES:
            pieces.append(self._received(min(missing, PIECE_BYTES)))
            missing -= len(pieces[-1])
        while missing > len(self._bytes) - self._at:
            self._more()
        pieces.append(self._take(missing))
        return b"".join(pieces)

    def _more(self) -> None:
        received = self._received(RECEIVED_AT_ONCE_BYTES)
        self._bytes = self._bytes[self._at :] + received
        self._at = 0

    def _received(self, most: int) -> bytes:
        self._before_waiting()
        received = self._connection.recv(most)
        if not received:
            raise EOFError
        return received
