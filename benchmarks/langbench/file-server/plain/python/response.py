"""The response to a request."""

import os
import re
import stat
from email.utils import formatdate

from .request import MOST_DIGITS, Failure, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple, Union

MOST_FILE_BYTES = 2**30
BEYOND_ANY_FILE = 10**15
RANGE = re.compile(rb"bytes=([0-9]*)-([0-9]*)")

REASONS = {
    200: "OK",
    206: "Partial Content",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    505: "HTTP Version Not Supported",
}
TYPES = {
    ".txt": "text/plain; charset=utf-8",
    ".log": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


class Counts:
    """The counts of one connection, or the sum of several."""

    def __init__(self) -> None:
        self.requests = 0
        self.body_bytes = 0

    def add(self, other: "Counts") -> None:
        self.requests += other.requests
        self.body_bytes += other.body_bytes


def respond(folder: str, request: Request, counts: Counts) -> "Union[bytes, bytearray]":
    try:
        if request.method not in (b"GET", b"HEAD"):
            raise Failure(405, "Allow: GET, HEAD\r\n")
        return file_response(folder, request, counts)
    except Failure as failure:
        return failure_response(failure, connection_field(request))


def failure_response(failure: Failure, connection: str) -> bytes:
    return head(failure.status, "Content-Length: 0\r\n" + failure.field, connection)


def file_response(folder: str, request: Request, counts: Counts) -> "Union[bytes, bytearray]":
    *folders, name = request.file_name()
    try:
        path = folder
        for one in folders:
            path += "/" + one
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise Failure(404)
        descriptor = os.open(path + "/" + name, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        raise Failure(404) from None
    try:
        return content_response(descriptor, name, request, counts)
    finally:
        os.close(descriptor)


def content_response(
    descriptor: int, name: str, request: Request, counts: Counts
) -> "Union[bytes, bytearray]":
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Failure(404)
    size = status.st_size
    if size > MOST_FILE_BYTES:
        raise Failure(500)
    part = requested_range(request, size)
    first, count = (0, size) if part is None else part
    fields = (
        f"Last-Modified: {formatdate(int(status.st_mtime), usegmt=True)}\r\n"
        f"Content-Type: {content_type(name)}\r\n"
        f"Content-Length: {count}\r\nAccept-Ranges: bytes\r\n"
    )
    if part is not None:
        fields += f"Content-Range: bytes {first}-{first + count - 1}/{size}\r\n"
    start = head(200 if part is None else 206, fields, connection_field(request))
    if request.method == b"HEAD":
        return start
    response = bytearray(len(start) + count)
    response[: len(start)] = start
    if first > 0:
        os.lseek(descriptor, first, os.SEEK_SET)
    if os.readv(descriptor, [memoryview(response)[len(start) :]]) < count:
        raise Failure(500)
    counts.requests += 1  # tick
    counts.body_bytes += count  # tick
    return response


def requested_range(request: Request, size: int) -> "Optional[Tuple[int, int]]":
    """The first byte and the number of bytes, or None for the whole file."""
    match = RANGE.fullmatch(request.headers.get(b"range", b""))
    if match is None or b"if-range" in request.headers or size == 0 or request.method == b"HEAD":
        return None
    start, end = match.groups()
    if not start and not end:
        return None
    last = number(end) if end else BEYOND_ANY_FILE
    if not start:
        first, count = size - min(last, size), min(last, size)
    else:
        first = number(start)
        if last < first:
            return None
        count = min(last, size - 1) - first + 1
    if first >= size:
        raise Failure(416, f"Content-Range: bytes */{size}\r\n")
    return first, count


def number(digits: bytes) -> int:
    return BEYOND_ANY_FILE if len(digits) > MOST_DIGITS else int(digits)


def content_type(name: str) -> str:
    dot = name.rfind(".")
    return TYPES.get(name[dot:].lower() if dot >= 0 else "", "application/octet-stream")


def connection_field(request: Request) -> str:
    if not request.persistent:
        return "Connection: close\r\n"
    return "Connection: keep-alive\r\n" if request.minor == 0 else ""


def head(status: int, fields: str, connection: str) -> bytes:
    date = formatdate(usegmt=True)
    text = f"HTTP/1.1 {status} {REASONS[status]}\r\nDate: {date}\r\n{fields}{connection}\r\n"
    return text.encode("ascii")
