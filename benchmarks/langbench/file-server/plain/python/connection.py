"""The conversation with a client."""

import socket

from .request import Failure, Request
from .response import Counts, failure_response, respond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

MOST_LINE_BYTES = 8192
MOST_HEADER_BYTES = 65536
MOST_DISCARDED_BYTES = 1048576


def converse(client: socket.socket, folder: str, counts: Counts) -> None:
    """Respond until the client wants no more. Raises OSError if it leaves."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with client.makefile("rb") as reader:
        persistent = True
        while persistent:
            try:
                request = read_request(reader)
                response = respond(folder, request, counts)
                persistent = request.persistent
            except Failure as failure:
                response = failure_response(failure, "Connection: close\r\n")
                persistent = False
            client.sendall(response)
        client.shutdown(socket.SHUT_WR)
        left = MOST_DISCARDED_BYTES
        while left > 0:
            discarded = reader.read1(left)
            if not discarded:
                return
            left -= len(discarded)


def read_request(reader: "BinaryIO") -> Request:
    line = b""
    while not line:
        line = read_line(reader, MOST_LINE_BYTES, 414)
    request = Request(line)
    left = MOST_HEADER_BYTES
    while True:
        line = read_line(reader, left, 431)
        if not line:
            break
        left -= len(line)
        request.add(line)
    length = request.body_length()
    if len(reader.read(length)) < length:
        raise ConnectionError
    return request


def read_line(reader: "BinaryIO", most: int, status: int) -> bytes:
    """The bytes before CR LF."""
    line = reader.readline(most + 2)
    if line.endswith(b"\r\n"):
        return line[:-2]
    if line.endswith(b"\n"):
        raise Failure(400)
    if len(line) == most + 2:
        raise Failure(status)
    raise ConnectionError
