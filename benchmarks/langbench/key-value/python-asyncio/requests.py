"""Requests in RESP2, read from the stream of a connection. The code is that of the standard tier
with `await`."""

from __future__ import annotations

from asyncio import StreamReader
from collections.abc import Awaitable, Callable

from ..python.requests import (
    MOST_LINE_BYTES,
    MOST_REQUEST_BYTES,
    MOST_WORDS,
    PIECE_BYTES,
    RECEIVED_AT_ONCE_BYTES,
    ProtocolError,
    number,
)


class Requests:
    """The requests of a connection, one after another.

    `before_waiting` is awaited before the connection must wait for more bytes.
    """

    def __init__(self, reader: StreamReader, before_waiting: Callable[[], Awaitable[None]]) -> None:
        self._reader = reader
        self._before_waiting = before_waiting
        self._bytes = b""
        self._at = 0

    async def next(self) -> list[bytes]:
        """Read the words of the next request. Raises ProtocolError, and EOFError at the end."""
        if self._at == len(self._bytes):
            await self._more()
        if self._bytes[self._at] != ord("*"):
            line = await self._line("too big inline request")
            return [word for word in line.replace(b"\t", b" ").split(b" ") if word]
        count = number((await self._line("too big mbulk count string"))[1:])
        if count is None or count > MOST_WORDS:
            raise ProtocolError("invalid multibulk length")
        left = MOST_REQUEST_BYTES
        words = []
        for _ in range(count):
            line = await self._line("too big bulk count string")
            if not line.startswith(b"$"):
                first = line[:1].decode("latin-1").replace("\r", " ") or " "
                raise ProtocolError(f"expected '$', got '{first}'")
            length = number(line[1:])
            if length is None or not 0 <= length <= left:
                raise ProtocolError("invalid bulk length")
            left -= length
            words.append(await self._word(length))
        return words

    async def _line(self, too_big: str) -> bytes:
        end = self._bytes.find(b"\n", self._at)
        while end < 0 and len(self._bytes) - self._at <= MOST_LINE_BYTES:
            await self._more()
            end = self._bytes.find(b"\n", self._at)
        if not 0 <= end - self._at <= MOST_LINE_BYTES:
            raise ProtocolError(too_big)
        line = self._bytes[self._at : end]
        self._at = end + 1
        return line[:-1] if line.endswith(b"\r") else line

    async def _word(self, length: int) -> bytes:
        word = await self._take(length)
        if await self._take(2) != b"\r\n":
            raise ProtocolError("expected CRLF after bulk")
        return word

    async def _take(self, length: int) -> bytes:
        end = self._at + length
        if end <= len(self._bytes):
            taken = self._bytes[self._at : end]
            self._at = end
            return taken
        pieces = [self._bytes[self._at :]]
        missing = end - len(self._bytes)
        self._at = len(self._bytes)
        while missing >= RECEIVED_AT_ONCE_BYTES:
            pieces.append(await self._received(min(missing, PIECE_BYTES)))
            missing -= len(pieces[-1])
        while missing > len(self._bytes) - self._at:
            await self._more()
        pieces.append(await self._take(missing))
        return b"".join(pieces)

    async def _more(self) -> None:
        received = await self._received(RECEIVED_AT_ONCE_BYTES)
        self._bytes = self._bytes[self._at :] + received
        self._at = 0

    async def _received(self, most: int) -> bytes:
        await self._before_waiting()
        received = await self._reader.read(most)
        if not received:
            raise EOFError
        return received
