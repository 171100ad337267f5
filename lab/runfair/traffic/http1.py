"""A parser that reads HTTP/1.1 messages from a stream of bytes that arrives in pieces (RFC 9112).

No library is used, because the parsers of servers and clients stop at a message with missing bytes.
If the capture lost bytes of a body, this parser continues after them. The parser also notes the
instant of each message's first byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from runfair.traffic.request import CapturedRequest, Headers, target_of

LONGEST_HEAD = 1 << 17  # bytes; servers refuse heads of more than 8 to 64 KB
LARGEST_BODY = 1 << 24  # bytes of a request's body that are kept

REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([^ \r\n]+) HTTP/1\.[01]")
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: .*)?")
# Two patterns: enough of a request line to recognise it, and a beginning that may become a request
# line.
_REQUEST_START = re.compile(rb"[A-Z]{3,20} (?:/|\*|https?://|[\w.-]+:[0-9])")
_REQUEST_PREFIX = re.compile(rb"[A-Z]{1,20}(?: (?:https?:?/?)?)?")

NO_BODY_STATUSES = (204, 304)  # RFC 9112, section 6.3; every 1xx too
SWITCHING_PROTOCOLS = 101


_Body = tuple[bytes, int]  # the part of the body that is kept, and the length of the whole body


class NotHttp(ValueError):
    """The bytes are not an HTTP/1.1 message; the error's text says why."""


def begins_request(data: bytes) -> bool:
    """Whether `data` may be the beginning of a request."""
    return bool(_REQUEST_START.match(data) or _REQUEST_PREFIX.fullmatch(data))


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `start` is its first line. `body` is kept only for requests. `body_bytes` is the
    length of the body.
    """

    start: re.Match[bytes]
    headers: Headers
    body: bytes
    body_bytes: int
    began_ns: int | None
    ended_ns: int | None

    @property
    def status(self) -> int:
        return int(self.start[1])

    @property
    def method(self) -> str:
        return self.start[1].decode("ascii")

    def request(self) -> CapturedRequest | None:
        """The message as a request; None if its target is not a path of an origin server."""
        target = target_of(self.start[2].decode("utf-8", "surrogateescape"))
        if target is None:
            return None
        headers = self.headers
        if target.host is not None and all(name.lower() != "host" for name, _ in headers):
            headers = (("Host", target.host), *headers)
        return CapturedRequest(self.began_ns, self.method, target.path, headers, self.body)


class Messages:
    """The parser of one direction of a connection. The parser takes bytes and returns complete
    messages.

    `method_answered` is called when the head of an answer has been read. The function returns the
    method of the request that the answer belongs to (None if unknown). An answer to HEAD has no
    body, whatever its headers say.
    """

    def __init__(
        self,
        kind: Literal["requests", "answers"],
        method_answered: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._first_line = REQUEST_LINE if kind == "requests" else STATUS_LINE
        self._kept = LARGEST_BODY if kind == "requests" else 0
        self._method_answered = method_answered
        self._buffer = bytearray()
        self._at_ns: int | None = None
        self._ended = False
        self._skippable = 0  # remaining bytes of a body that would only be counted
        self._idle = True
        self._parser = self._messages()
        next(self._parser)

    @property
    def between(self) -> bool:
        """Whether the stream is between two messages."""
        return self._idle and not self._buffer

    def feed(self, data: bytes, at_ns: int | None = None) -> Iterator[Message]:
        """The messages that end in `data`. Each message is returned before the head of the next is
        parsed. After a NotHttp error no more data can be fed.
        """
        self._buffer += data
        self._at_ns = at_ns
        while (message := self._parser.send(None)) is not None:
            yield message

    def skip(self, missing: int) -> bool:
        """Skips bytes that the capture lost, if they lie in a body whose bytes are only counted. If
        the lost bytes lie elsewhere, the rest of the stream cannot be read.
        """
        if missing > self._skippable - len(self._buffer):
            return False
        self._skippable -= missing
        return True

    def end(self) -> Iterator[Message]:
        """Ends the stream. The end completes an answer without a stated length (RFC 9112, section
        6.3).
        """
        self._ended = True
        with suppress(StopIteration, NotHttp):
            while (message := self._parser.send(None)) is not None:
                yield message

    def _messages(self) -> Generator[Message | None, None, None]:
        """Yields a message, or None if more bytes are needed."""
        yield None
        while True:
            self._idle = True
            # Empty lines before a request line are skipped (RFC 9112, section 2.2).
            while not self._buffer.lstrip(b"\r\n"):
                self._buffer.clear()
                if self._ended:
                    return
                yield None
            self._idle = False
            began_ns = self._at_ns
            head = (yield from self._through(b"\r\n\r\n", LONGEST_HEAD)).lstrip(b"\r\n")
            first, *lines = head[:-4].split(b"\r\n")
            start = self._first_line.fullmatch(first)
            if start is None:
                raise NotHttp("not HTTP/1.1")
            headers = _headers(lines)
            body, length = yield from self._body(start, headers)
            yield Message(start, headers, body, length, began_ns, self._at_ns)

    def _body(self, start: re.Match[bytes], headers: Headers) -> Generator[None, None, _Body]:
        codings = _values(headers, "transfer-encoding")
        lengths = {
            value.strip()
            for text in _values(headers, "content-length")
            for value in text.split(",")
        }
        if self._first_line is STATUS_LINE:
            status = int(start[1])
            if status < 200 or status in NO_BODY_STATUSES or self._method_answered() == "HEAD":
                return b"", 0
        if codings and codings[-1].lower().rstrip().endswith("chunked"):
            return (yield from self._chunks())
        if lengths:
            text = lengths.pop()
            if lengths or not (text.isascii() and text.isdigit() and len(text) < 16):
                raise NotHttp(
                    "the header Content-Length is not a number, or occurs with two different values"
                )
            return (yield from self._counted(int(text)))
        if self._first_line is REQUEST_LINE:
            return b"", 0
        return (yield from self._until_the_end())

    def _chunks(self) -> Generator[None, None, _Body]:
        body, total = bytearray(), 0
        while True:
            line = yield from self._through(b"\r\n", LONGEST_HEAD)
            size = re.fullmatch(rb"[ \t]*([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?", line[:-2])
            if size is None:
                raise NotHttp("a chunk has no length")
            length = int(size[1], 16)
            if length == 0:
                break
            part, counted = yield from self._counted(length)
            total += counted
            body += part
            if self._kept and total > self._kept:
                raise NotHttp(f"a body is longer than {self._kept:,} bytes")
            if (yield from self._exactly(2)) != b"\r\n":
                raise NotHttp("a chunk is longer than its stated length")
        while (yield from self._through(b"\r\n", LONGEST_HEAD)) != b"\r\n":
            pass  # trailers
        return bytes(body), total

    def _counted(self, length: int) -> Generator[None, None, _Body]:
        """Reads a body, or a part of one, of a known length. The bytes of answers are not kept."""
        if self._kept:
            if length > self._kept:
                raise NotHttp(f"a body is longer than {self._kept:,} bytes")
            return (yield from self._exactly(length)), length
        self._skippable = length
        while self._skippable:
            taken = min(self._skippable, len(self._buffer))
            del self._buffer[:taken]
            self._skippable -= taken
            if self._skippable:
                yield from self._more()
        return b"", length

    def _until_the_end(self) -> Generator[None, None, _Body]:
        total = 0
        while True:
            total += len(self._buffer)
            self._buffer.clear()
            if self._ended:
                return b"", total
            yield

    def _exactly(self, length: int) -> Generator[None, None, bytes]:
        while len(self._buffer) < length:
            yield from self._more()
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _through(self, mark: bytes, most: int) -> Generator[None, None, bytes]:
        searched = 0
        while (found := self._buffer.find(mark, searched)) < 0:
            searched = max(0, len(self._buffer) - len(mark) + 1)
            if searched > most:
                raise NotHttp(f"the head of a message is longer than {most:,} bytes")
            yield from self._more()
        return (yield from self._exactly(found + len(mark)))

    def _more(self) -> Generator[None, None, None]:
        if self._ended:
            raise NotHttp("cut off")
        yield


def _headers(lines: list[bytes]) -> Headers:
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            raise NotHttp("a header has no name")
        headers.append(
            (name.decode("latin-1"), value.strip(b" \t").decode("utf-8", "surrogateescape"))
        )
    return tuple(headers)


def _values(headers: Headers, name: str) -> list[str]:
    return [value for own, value in headers if own.lower() == name]
