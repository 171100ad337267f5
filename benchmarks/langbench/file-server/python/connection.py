"""One client: its requests, one after another."""

from __future__ import annotations

import socket
from io import BufferedReader
from typing import Dict

from .answer import answer, refusal
from .counts import Counts
from .failure import Failure
from .request import Request, add_field, body_length, request_line

INPUT_BYTES = 16_384
LONGEST_REQUEST_LINE = 8192
LONGEST_HEADERS = 65_536
MOST_DROPPED_BYTES = 1_048_576


class Gone(Exception):
    """The client has left."""


class Connection:
    """A connection to a client, whose bytes are read line by line."""

    def __init__(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client
        received = client.makefile("rb", INPUT_BYTES)
        assert isinstance(received, BufferedReader)
        self._input = received
        self.counts = Counts()

    def converse(self, folder: str) -> None:
        """Answer requests until the client leaves or ends the connection."""
        try:
            while True:
                try:
                    request = self._read_request()
                except Failure as failure:
                    self._client.sendall(refusal(failure))
                    break
                self._client.sendall(answer(folder, request, self.counts))
                if not request.persistent:
                    break
            self._leave()
        except (Gone, OSError):
            pass  # the client is gone, so no answer can be sent
        finally:
            self._input.close()

    def _read_request(self) -> Request:
        """Raises Failure, Gone, OSError."""
        line = b""
        while not line:
            line = self._read_line(LONGEST_REQUEST_LINE, 414)
        method, target, minor = request_line(line)
        headers: Dict[str, str] = {}
        left = LONGEST_HEADERS
        while True:
            line = self._read_line(left, 431)
            if not line:
                break
            left -= len(line)
            add_field(headers, line)
        self._drop(body_length(headers, minor))
        return Request(method, target, minor, headers)

    def _read_line(self, most: int, status: int) -> bytes:
        """Raises Failure, Gone, OSError."""
        line = self._input.readline(most + 2)
        if not line.endswith(b"\n"):
            raise Failure(status) if len(line) == most + 2 else Gone
        if not line.endswith(b"\r\n"):
            raise Failure(400)
        return line[:-2]

    def _drop(self, length: int) -> None:
        """Raises Gone, OSError."""
        if len(self._input.read(length)) < length:
            raise Gone

    def _leave(self) -> None:
        """Wait for the client to go, so that no reset overtakes the last answer."""
        self._client.shutdown(socket.SHUT_WR)
        left = MOST_DROPPED_BYTES
        while left > 0:
            dropped = self._input.read1()
            if not dropped:
                return
            left -= len(dropped)
