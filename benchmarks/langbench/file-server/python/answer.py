"""Makes the answer to a request."""

from __future__ import annotations

import os
from email.utils import formatdate
from http import HTTPStatus
from io import FileIO
from stat import S_ISDIR, S_ISREG
from typing import List, Union

from .byte_range import requested_range
from .counts import Counts
from .failure import Failure
from .request import Request
from .target import file_name

MOST_FILE_BYTES = 2**30
TYPES = {
    "txt": "text/plain; charset=utf-8",
    "log": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
}
# The reason phrases of RFC 9110. Older Pythons have other phrases.
REASONS = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable"}


def answer(folder: str, request: Request, counts: Counts) -> Union[bytes, bytearray]:
    """Sends the whole answer to a valid request."""
    try:
        if request.method not in ("GET", "HEAD"):
            raise Failure(405, "Allow: GET, HEAD")
        name = file_name(request.target)
        descriptor = open_file(folder, name)
        try:
            return content(descriptor, name[-1], request, counts)
        finally:
            os.close(descriptor)
    except Failure as failure:
        return head(failure.status, ["Content-Length: 0", *failure.fields], connection(request))


def refusal(failure: Failure) -> bytes:
    """The answer to an invalid request. No other request can follow it."""
    return head(failure.status, ["Content-Length: 0", *failure.fields], ["Connection: close"])


def open_file(folder: str, name: List[str]) -> int:
    """Opens the requested file and returns its descriptor. Raises Failure if that is not
    possible."""
    path = folder
    try:
        for segment in name[:-1]:
            path = f"{path}/{segment}"
            if not S_ISDIR(os.lstat(path).st_mode):
                raise Failure(404)
        return os.open(f"{path}/{name[-1]}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        raise Failure(404) from None


def content(
    descriptor: int, name: str, request: Request, counts: Counts
) -> Union[bytes, bytearray]:
    """The head and the content of the answer. Raises Failure if the file cannot be served."""
    status = os.fstat(descriptor)
    if not S_ISREG(status.st_mode):
        raise Failure(404)
    size = status.st_size
    if size > MOST_FILE_BYTES:
        raise Failure(500)
    ranged = request.method == "GET" and "if-range" not in request.headers
    part = requested_range(request.headers.get("range"), size) if ranged else None
    first, count = part or (0, size)
    fields = [
        f"Last-Modified: {formatdate(int(status.st_mtime), usegmt=True)}",
        f"Content-Type: {content_type(name)}",
        f"Content-Length: {count}",
        "Accept-Ranges: bytes",
    ]
    if part:
        fields.append(f"Content-Range: bytes {first}-{first + count - 1}/{size}")
    said = head(206 if part else 200, fields, connection(request))
    if request.method == "HEAD":
        return said
    whole = bytearray(len(said) + count)
    whole[: len(said)] = said
    read(descriptor, memoryview(whole)[len(said) :], first, counts)
    counts.requests += 1  # tick
    return whole


def read(descriptor: int, into: memoryview, first: int, counts: Counts) -> None:
    """Fill `into` with the file's bytes from `first` on. Raises Failure if the file is shorter."""
    try:
        while into:
            taken = read_some(descriptor, into, first)
            if not taken:
                raise Failure(500)
            counts.body_bytes += taken  # tick
            into = into[taken:]
            first += taken
    except OSError:
        raise Failure(500) from None


def read_some(descriptor: int, into: memoryview, first: int) -> int:
    """Reads bytes with one call and returns their number; 0 at the end of the file. Raises
    OSError."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, [into], first)
    # PyPy does not have this function, and a FileIO would request the file's size once more.
    with FileIO(descriptor, closefd=False) as file:
        file.seek(first)
        return file.readinto(into)


def content_type(name: str) -> str:
    _, dot, extension = name.rpartition(".")
    return TYPES.get(extension.lower() if dot else "", "application/octet-stream")


def connection(request: Request) -> List[str]:
    """The line of the head about the connection."""
    if not request.persistent:
        return ["Connection: close"]
    return ["Connection: keep-alive"] if request.minor == 0 else []


def head(status: int, fields: List[str], last: List[str]) -> bytes:
    reason = REASONS.get(status) or HTTPStatus(status).phrase
    date = f"Date: {formatdate(usegmt=True)}"
    lines = [f"HTTP/1.1 {status} {reason}", date, *fields, *last, "", ""]
    return "\r\n".join(lines).encode("ascii")
