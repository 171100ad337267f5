"""Requests in RESP2: langbench/key-value/contract.md, "Requests"."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, List, Optional

PIECE_BYTES = 1048576
MOST_LINE_BYTES = 65536
MOST_WORDS = 1048576
MOST_REQUEST_BYTES = 512000000
NUMBER = re.compile(rb"-?[0-9]{1,10}")


class ProtocolError(Exception):
    """What the client sent is not a request. The message says why."""


def number(text: bytes) -> "Optional[int]":
    return int(text) if NUMBER.fullmatch(text) else None


def next_request(reader: "BinaryIO") -> "List[bytes]":
    """The words of the next request. Raises ProtocolError, and EOFError at the end."""
    line = read_line(reader)
    if not line.startswith(b"*"):
        if not line.endswith(b"\n"):
            raise ProtocolError("too big inline request")
        return re.findall(rb"[^ \t]+", without_end(line))
    if not line.endswith(b"\n"):
        raise ProtocolError("too big mbulk count string")
    count = number(without_end(line)[1:])
    if count is None or count > MOST_WORDS:
        raise ProtocolError("invalid multibulk length")
    words = []
    left = MOST_REQUEST_BYTES
    for _ in range(count):
        line = read_line(reader)
        if not line.endswith(b"\n"):
            raise ProtocolError("too big bulk count string")
        line = without_end(line)
        if not line.startswith(b"$"):
            raise ProtocolError("expected '$', got '%s'" % (line[:1].decode("latin-1") or " "))
        length = number(line[1:])
        if length is None or length < 0 or length > left:
            raise ProtocolError("invalid bulk length")
        left -= length
        words.append(take(reader, length))
        if take(reader, 2) != b"\r\n":
            raise ProtocolError("expected CRLF after bulk")
    return words


def read_line(reader: "BinaryIO") -> bytes:
    """A line with its LF, or the beginning of a line that is too big."""
    line = reader.readline(MOST_LINE_BYTES + 1)
    if not line.endswith(b"\n") and len(line) <= MOST_LINE_BYTES:
        raise EOFError
    return line


def without_end(line: bytes) -> bytes:
    return line[:-2] if line.endswith(b"\r\n") else line[:-1]


def take(reader: "BinaryIO", length: int) -> bytes:
    """So many bytes, in pieces that are joined at the end."""
    pieces = []
    while length > 0:
        piece = reader.read(min(length, PIECE_BYTES))
        if not piece:
            raise EOFError
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
